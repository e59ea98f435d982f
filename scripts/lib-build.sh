# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by demo.sh and test.sh, after lib-install.sh: configure and build.

# Two jobs on two cores; on larger machines as many as have 2 GiB each, since a
# file that includes MLIR needs about one. DIFFUSE_JOBS overrides.
diffuse_jobs() {
  local cores gigabytes
  [ -z "${DIFFUSE_JOBS:-}" ] || { printf '%s\n' "$DIFFUSE_JOBS"; return; }
  cores=$(nproc)
  gigabytes=$(awk '$1 == "MemAvailable:" { print int($2 / 2097152) }' /proc/meminfo)
  [ "$cores" -le "$gigabytes" ] || cores=$gigabytes
  [ "$cores" -ge 1 ] || cores=1
  printf '%s\n' "$cores"
}

# A Python that has numpy (and pytest, if asked for): the one on PATH may be a
# private build without Debian's modules.
diffuse_find_python() {
  local python
  for python in "${PYTHON:-}" python3 /usr/bin/python3; do
    [ -n "$python" ] || continue
    "$python" -c "import numpy ${1:+, $1}" 2>/dev/null && { printf '%s\n' "$python"; return; }
  done
  fail "no python3 with numpy${1:+ and $1}: install python3-numpy${1:+ python3-$1}"
}

# diffuse_build PRESET FOLDER [cmake options]
diffuse_build() {
  local preset=$1 folder=$2
  shift 2
  # The same file in another clone is the same file to ccache.
  export CCACHE_BASEDIR="$DIFFUSE_ROOT" CCACHE_NOHASHDIR=1
  say "configure: cmake --preset $preset -B $folder $*"
  (cd "$DIFFUSE_ROOT" && cmake --preset "$preset" -B "$folder" "$@") ||
    fail "cmake could not configure: see the lines above"
  say "build: $(diffuse_jobs) jobs"
  cmake --build "$folder" --parallel "$(diffuse_jobs)" ||
    fail "the build failed: see the lines above"
}
