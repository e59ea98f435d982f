#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every test: installs what is missing, builds with warnings as errors, runs
# lit and unit tests, the layer and format checks, and the Python suites.
#
#   scripts/test.sh [--no-install] [--slow]
#
#   --no-install   touch no packages; say what is missing
#   --slow         also the tests marked slow (tuning of every case: an hour)
#
# Environment: DIFFUSE_JOBS (build and test jobs), DIFFUSE_TEST_BUILD_DIR
# (default build-test), DIFFUSE_CASES_DIR and DIFFUSE_MODELS_DIR (data of the
# integration tests; by default the folders of ../shared beside the clone, where
# there is one).
set -euo pipefail
DIFFUSE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$DIFFUSE_ROOT/scripts/lib-install.sh"
. "$DIFFUSE_ROOT/scripts/lib-build.sh"

slow=()
for argument in "$@"; do
  case "$argument" in
    --no-install) DIFFUSE_NO_INSTALL=1 ;;
    --slow) slow=(--slow) ;;
    -h|--help) sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) printf 'error: unknown option %s (see --help)\n' "$argument" >&2; exit 2 ;;
  esac
done

diffuse_install build test || exit 1
python=$(diffuse_find_python pytest)
build=${DIFFUSE_TEST_BUILD_DIR:-$DIFFUSE_ROOT/build-test}
diffuse_build ci "$build"

# Every stage runs, so that one run shows all that is wrong.
failed=()
stage() {
  local name=$1
  shift
  say "$name"
  "$@" || failed+=("$name")
}

for kind in CASES MODELS; do
  variable=DIFFUSE_${kind}_DIR
  folder=$DIFFUSE_ROOT/../shared/$(tr '[:upper:]' '[:lower:]' <<< "$kind")
  if [ -z "${!variable:-}" ] && [ -d "$folder" ]; then
    export "$variable=$(cd "$folder" && pwd)"
  fi
  say "$variable=${!variable:-(not set: tests that need it are skipped)}"
done

export DIFFUSE_BUILD_DIR="$build"
stage "layers" "$python" "$DIFFUSE_ROOT/scripts/check-layers.py"
stage "format" "$DIFFUSE_ROOT/scripts/check-format.sh"
stage "lit and unit tests" ctest --test-dir "$build" --output-on-failure \
  --no-tests=error --parallel "$(diffuse_jobs)"
stage "pytest" "$python" -m pytest -c "$DIFFUSE_ROOT/python/pyproject.toml" \
  --rootdir "$DIFFUSE_ROOT" -q -rs "${slow[@]}" \
  "$DIFFUSE_ROOT/python/tests" "$DIFFUSE_ROOT/scripts/tests" \
  "$DIFFUSE_ROOT/benchmarks/tests" "$DIFFUSE_ROOT/test/integration"

if [ "${#failed[@]}" -gt 0 ]; then
  printf -v list '%s, ' "${failed[@]}"
  printf 'error: failed: %s\n' "${list%, }" >&2
  exit 1
fi
