# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-layers.py: each rule broken once, in a tree made for it."""
import importlib.util
import pathlib

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "check-layers.py"
spec = importlib.util.spec_from_file_location("check_layers", SCRIPT)
check_layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_layers)


def make_tree(root, files):
    (root / "CMakeLists.txt").write_text("set(DIFFUSE_LAYERS\n  Support Graph\n  Tuning)\n")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return check_layers.check_tree(root)


def test_earlier_and_own_layers_are_fine(tmp_path):
    assert make_tree(tmp_path, {
        "lib/Graph/A.cpp": '#include "Diffuse/Graph/A.h"\n#include "Diffuse/Support/B.h"\n',
        "lib/Support/Json.cpp": "#include <nlohmann/json.hpp>\n",
        "lib/Graph/CMakeLists.txt": "diffuse_add_layer(Graph SOURCES A.cpp DEPENDS Support)\n",
        "tools/diffuse-tune/main.cpp": '#include "Diffuse/Tuning/T.h"\n#include "mlir/IR/X.h"\n',
    }) == []


@pytest.mark.parametrize("file, text, message", [
    ("lib/Graph/A.cpp", '\n#include "Diffuse/Tuning/T.h"\n', "lib/Graph/A.cpp:2: includes 'Diffuse/Tuning/T.h': Tuning is a later layer"),
    ("include/Diffuse/Graph/A.h", '#include "Diffuse/Tuning/T.h"\n', "include/Diffuse/Graph/A.h:1: includes"),
    ("lib/Support/A.cpp", '#include "mlir/IR/Value.h"\n', "may include nothing of MLIR"),
    ("tools/diffuse-measure/main.cpp", '#include "mlir/IR/Value.h"\n', "may include nothing of MLIR"),
    ("lib/Graph/A.cpp", "#include <nlohmann/json.hpp>\n", "only lib/Support/Json.cpp"),
    ("lib/Graph/A.cpp", '#include "../Tuning/T.h"\n', "name it from the include root"),
    ("lib/Extra/A.cpp", "\n", "layer Extra is not in DIFFUSE_LAYERS"),
    ("lib/Graph/CMakeLists.txt", "diffuse_add_layer(Graph SOURCES A.cpp\n  DEPENDS Support Tuning)\n", "Graph depends on Tuning"),
])
def test_each_rule(tmp_path, file, text, message):
    found = make_tree(tmp_path, {file: text})
    assert len(found) == 1 and message in found[0]


def test_a_tree_without_the_list_is_an_error(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("project(x)\n")
    with pytest.raises(ValueError, match="DIFFUSE_LAYERS"):
        check_layers.check_tree(tmp_path)


def test_this_tree_is_clean():
    assert check_layers.check_tree(SCRIPT.parent.parent) == []
