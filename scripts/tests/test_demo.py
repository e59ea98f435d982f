# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""demo.sh with tools and an importer that only pretend."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = {
    "lib-install.sh": 'say() { echo "$*"; }\nfail() { echo "$*" >&2; exit 1; }\n'
                      'diffuse_install() { :; }\ndiffuse_find_python() { echo "$DIFFUSE_ROOT/python"; }\n',
    "lib-build.sh": "diffuse_build() { :; }\n",
}
# Writes the module that -o names, and weights beside it if there are to be some.
PYTHON = """#!/bin/sh
echo "python $*" >> "$LOG"
[ "$2" = diffuse_mlir.onnx_import ] || exit 0
touch "$5"
[ -z "$WEIGHTS" ] || touch "${5%.mlir}.safetensors"
"""
TOOL = '#!/bin/sh\necho "${0##*/} $*" >> "$LOG"\n'


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize("weights", ["", "yes"])
def test_an_imported_model_brings_its_weights_if_it_has_some(tmp_path, weights):
    root, build, log = tmp_path / "root", tmp_path / "build", tmp_path / "log"
    (root / "scripts").mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "demo.sh", root / "scripts")
    for name, text in LIBRARIES.items():
        write(root / "scripts" / name, text)
    write(root / "python", PYTHON)
    for name in ("diffuse-tune", "diffuse-compile", "diffuse-run"):
        write(build / "bin" / name, TOOL)
    (tmp_path / "net.onnx").touch()
    subprocess.run(["bash", root / "scripts" / "demo.sh", tmp_path / "net.onnx"], check=True, capture_output=True,
                   env={"PATH": os.environ["PATH"], "LOG": str(log), "WEIGHTS": weights,
                        "DIFFUSE_DEMO_BUILD_DIR": str(build)})
    ran = next(line for line in log.read_text().splitlines() if line.startswith("diffuse-run"))
    given = f"--parameters={build}/demo/net.safetensors"
    assert (given in ran) == bool(weights) and ("--parameters" in ran) == bool(weights)
    assert f"--reference={build}/demo/net.mlir" in ran
