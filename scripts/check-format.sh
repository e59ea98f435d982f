#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails when clang-format would change a C++ file; --fix changes it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang-format-22 >/dev/null ||
  { echo "error: clang-format-22 is missing (apt-get install clang-format-22)" >&2; exit 1; }
mode=(--dry-run --Werror)
[ "${1:-}" != --fix ] || mode=(-i)
# Outside a git checkout (a release archive) the folders are searched.
files() { git ls-files -z -- "$@" 2>/dev/null || find include lib tools unittests test benchmarks examples -regex '.*\.\(cpp\|h\|c\)' -print0; }
files '*.cpp' '*.h' '*.c' | xargs -0 -r clang-format-22 "${mode[@]}"
