#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails when clang-format would change a C++ file; --fix changes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang-format-22 >/dev/null ||
  { echo "error: clang-format-22 is missing (apt-get install clang-format-22)" >&2; exit 1; }
mode=(--dry-run --Werror)
[ "${1:-}" != --fix ] || mode=(-i)
# A release archive has no git; nor has every machine that builds.
files() {
  git ls-files -z -- '*.cpp' '*.h' '*.c' 2>/dev/null ||
    find include lib tools unittests test \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0
}
files | xargs -0 -r clang-format-22 "${mode[@]}"
