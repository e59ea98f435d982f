# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by demo.sh and test.sh: packages from Debian, nothing else.
#
#   diffuse_install KIND...   installs what of scripts/packages.txt is missing.
#
# Says first what apt would install and remove. With DIFFUSE_NO_INSTALL=1, or
# without root, it installs nothing: it returns 0 where all is there, else says
# what is missing and returns 1.

say() { printf '== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Names of the packages of the given kinds that dpkg does not have.
diffuse_missing_packages() {
  local name kind rest wanted=" $* "
  while read -r name kind rest; do
    case "$name" in ''|'#'*) continue ;; esac
    case "$wanted" in *" $kind "*) ;; *) continue ;; esac
    case "$(dpkg-query -W -f '${Status},' "$name" 2>/dev/null)" in
      *'install ok installed'*) ;;
      *) printf '%s\n' "$name" ;;
    esac
  done < "$DIFFUSE_ROOT/scripts/packages.txt"
}

# Which of the named packages apt knows no version of.
diffuse_unknown_packages() {
  local name
  for name in "$@"; do
    case "$(LC_ALL=C apt-cache policy "$name" 2>/dev/null)" in
      *'Candidate: (none)'* | '') printf '%s\n' "$name" ;;
    esac
  done
}

diffuse_install() {
  local missing unknown plan
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    { diffuse_check_by_programs; return; }
  mapfile -t missing < <(diffuse_missing_packages "$@")
  if [ "${#missing[@]}" -eq 0 ]; then
    say "packages: all are installed; apt would install and remove nothing"
    return 0
  fi
  say "packages missing: ${missing[*]}"
  # A new machine has no package lists, an old one has lists of versions gone.
  if diffuse_may_install; then
    say "apt-get update"
    apt-get update -q || say "apt-get update failed; going on with the lists there are"
  fi
  mapfile -t unknown < <(diffuse_unknown_packages "${missing[@]}")
  if [ "${#unknown[@]}" -gt 0 ]; then
    printf 'error: apt does not know: %s\n' "${unknown[*]}" >&2
    diffuse_explain_sources
    return 1
  fi
  plan=$(LC_ALL=C apt-get -s -q install --no-install-recommends "${missing[@]}") ||
    { printf '%s\n' "$plan" >&2; fail "apt cannot install these packages together"; }
  diffuse_show_plan "$plan"
  if ! diffuse_may_install; then
    printf 'error: not installed: %s\n' "${missing[*]}" >&2
    printf 'run as root: apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
    return 1
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    "${missing[@]}" || fail "apt-get install failed: see the lines above"
}

diffuse_may_install() { [ "${DIFFUSE_NO_INSTALL:-0}" != 1 ] && [ "$(id -u)" -eq 0 ]; }

# The Inst and Remv lines of a simulation, as two sentences.
diffuse_show_plan() {
  local installs removals
  installs=$(awk '$1 == "Inst" { print $2 }' <<< "$1" | sort | paste -sd' ')
  removals=$(awk '$1 == "Remv" { print $2 }' <<< "$1" | sort | paste -sd' ')
  say "apt would install ($(wc -w <<< "$installs")): ${installs:-nothing}"
  say "apt would remove ($(wc -w <<< "$removals")): ${removals:-nothing}"
}

diffuse_explain_sources() {
  cat >&2 <<'TEXT'
The LLVM 22 packages are in Debian 12's security suite. Its line in
/etc/apt/sources.list (or a file in /etc/apt/sources.list.d) is
  deb http://deb.debian.org/debian-security bookworm-security main
Add it where it is absent, run apt-get update as root, and start again.
TEXT
}

# Another system than Debian: nothing can be installed, but the programs may be
# there under their usual names.
diffuse_check_by_programs() {
  local program missing=()
  for program in c++ cmake ninja python3; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ "${#missing[@]}" -eq 0 ] || {
    printf 'error: this is no Debian system, and these programs are missing: %s\n' \
      "${missing[*]}" >&2
    return 1
  }
  say "packages: not a Debian system; CMake will say what is missing"
}
