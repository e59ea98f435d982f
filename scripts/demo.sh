#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The main job, from a clone to a tuned network: installs what is missing,
# builds, tunes for a minute, compiles, checks the answer, shows the gain.
#
#   scripts/demo.sh [--no-install] [--budget=60s] [model.onnx|model.mlir]
#
#   --no-install   touch no packages; say what is missing
#   --budget=T     seconds to tune for, or a number of measurements
#
# Without a model it is ResNet-18 with random weights, written by the project.
# ONNX Runtime's time is printed beside where its Python package is installed.
#
# Environment: DIFFUSE_JOBS (build jobs), DIFFUSE_DEMO_BUILD_DIR (default
# build-release; the demo's files are in its folder demo).
set -euo pipefail
DIFFUSE_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$DIFFUSE_ROOT/scripts/lib-install.sh"
. "$DIFFUSE_ROOT/scripts/lib-build.sh"

budget=60s
given=
for argument in "$@"; do
  case "$argument" in
    --no-install) DIFFUSE_NO_INSTALL=1 ;;
    --budget=*) budget=${argument#*=} ;;
    -h|--help) sed -n '3,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) printf 'error: unknown option %s (see --help)\n' "$argument" >&2; exit 2 ;;
    *) [ -z "$given" ] || fail "one model at a time: $given, $argument"
       given=$(realpath -e "$argument" 2>/dev/null) || fail "$argument: no such file" ;;
  esac
done
case "$given" in
  ''|*.onnx|*.mlir) ;;
  *) fail "$given: the name of a model ends in .onnx or .mlir" ;;
esac

diffuse_install build || exit 1
python=$(diffuse_find_python)
build=${DIFFUSE_DEMO_BUILD_DIR:-$DIFFUSE_ROOT/build-release}
diffuse_build release "$build" -DDIFFUSE_BUILD_TESTS=OFF
export PATH="$build/bin:$PATH" DIFFUSE_BUILD_DIR="$build" PYTHONPATH="$DIFFUSE_ROOT/python"

work=$build/demo
mkdir -p "$work"
onnx=
parameters=()
case "$given" in
  '')
    name=resnet18
    say "model: ResNet-18, 1x3x224x224, random weights: $work/$name.mlir"
    model=$work/$name.mlir
    if "$python" -c 'import onnx, onnxruntime' 2>/dev/null; then onnx=$work/$name.onnx; fi
    "$python" -m diffuse_mlir.networks $name -o "$model" ${onnx:+--onnx "$onnx"} ;;
  *.onnx)
    name=$(basename "$given" .onnx)
    say "model: $given, imported as $work/$name.mlir"
    model=$work/$name.mlir onnx=$given
    "$python" -m diffuse_mlir.onnx_import "$given" -o "$model" || exit 1 ;;
  *.mlir)
    name=$(basename "$given" .mlir)
    say "model: $given"
    model=$given ;;
esac
# A model without weights comes without a file of them.
weights=${model%.mlir}.safetensors
if [ "$model" != "$given" ] && [ -e "$weights" ]; then parameters=("--parameters=$weights"); fi

step() {
  say "$*"
  "$@"
}
cd "$work"
step diffuse-tune "$model" --budget="$budget" --records="$name.records.jsonl" \
  --summary="$name.summary.json" -o "$name.tuned.mlir"
step diffuse-compile "$name.tuned.mlir" --emit=so -o "$name.so"
say "diffuse-run $name.so ${parameters[*]} --reference=$model --bench --json > $name.run.json"
diffuse-run "$name.so" "${parameters[@]}" --reference="$model" --bench --json > "$name.run.json"
step "$python" "$DIFFUSE_ROOT/scripts/demo-report.py" --summary "$name.summary.json" \
  --run "$name.run.json" ${onnx:+--onnx "$onnx"}
say "files: $work"
