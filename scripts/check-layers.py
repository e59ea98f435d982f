#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds includes to the order of the layers.

The order stands in one place, DIFFUSE_LAYERS in CMakeLists.txt. A file of
lib/<Layer> or include/Diffuse/<Layer> includes its own layer and earlier ones.
Besides: the layers in MLIR_FREE (and the worker, which must stay small enough
to be copied to other machines) include nothing of MLIR, and only
lib/Support/Json.cpp, which alone is compiled with exceptions, includes
nlohmann's JSON. Prints one line a violation and exits 1 when there is one.
"""
import argparse
import pathlib
import re
import sys

MLIR_FREE = {"Support", "Bayes", "Target", "Records", "Measure"}
MLIR_FREE_TOOLS = {"diffuse-measure"}
JSON_FILE = pathlib.PurePosixPath("lib/Support/Json.cpp")
SOURCES = {".h", ".cpp", ".c", ".inc", ".td"}

INCLUDE = re.compile(r'^\s*(?:#\s*)?include\s+["<]([^">]+)[">]', re.MULTILINE)
LAYER_CALL = re.compile(r"diffuse_add_layer\(\s*(\w+)([^)]*)\)")


def read_layers(root):
    """The layer names, first to last, from the top CMakeLists.txt."""
    text = (root / "CMakeLists.txt").read_text()
    match = re.search(r"set\(DIFFUSE_LAYERS\s+([^)]*)\)", text)
    if not match:
        raise ValueError("no set(DIFFUSE_LAYERS ...) in CMakeLists.txt")
    return match.group(1).split()


def layer_of(path):
    """The layer a file belongs to, or None (path is relative to the root)."""
    parts = path.parts
    if len(parts) > 2 and parts[0] == "lib":
        return parts[1]
    if len(parts) > 3 and parts[:2] == ("include", "Diffuse"):
        return parts[2]
    return None


def mlir_free(path):
    """Whether the file may include nothing of MLIR."""
    return layer_of(path) in MLIR_FREE or (
        path.parts[0] == "tools" and path.parts[1] in MLIR_FREE_TOOLS)


def check_file(path, text, layers):
    """Yields (line, message) for each forbidden include of one file."""
    layer = layer_of(path)
    for match in INCLUDE.finditer(text):
        line, name = text.count("\n", 0, match.start(1)) + 1, match.group(1)
        if name.startswith("mlir/") and mlir_free(path):
            yield line, f"includes '{name}', but may include nothing of MLIR"
        if name.startswith("nlohmann/") and path != JSON_FILE:
            yield line, f"includes '{name}', which only {JSON_FILE} may"
        if layer is None:
            continue
        if name.startswith("../"):
            yield line, f"includes '{name}': name it from the include root"
        included = re.match(r"Diffuse/(\w+)/", name)
        if not included or included.group(1) not in layers:
            continue
        if layers.index(included.group(1)) > layers.index(layer):
            yield line, f"includes '{name}': {included.group(1)} is a later layer than {layer}"


def check_dependencies(path, text, layers):
    """Yields (line, message) for each DEPENDS on a later layer."""
    for match in LAYER_CALL.finditer(text):
        layer, rest = match.group(1), match.group(2)
        depends = re.search(r"\bDEPENDS\s+([\w\s]*)", rest)
        for name in depends.group(1).split() if depends else []:
            if name in layers and layer in layers and layers.index(name) >= layers.index(layer):
                yield text.count("\n", 0, match.start()) + 1, f"{layer} depends on {name}, which is no earlier layer"


def check_tree(root):
    """All violations below `root` as strings 'file:line: message'."""
    layers, found = read_layers(root), []
    files = [p for top in ("lib", "include", "tools") for p in sorted((root / top).rglob("*"))]
    for file in files:
        path = pathlib.PurePosixPath(file.relative_to(root).as_posix())
        if not file.is_file():
            continue
        if file.name == "CMakeLists.txt":
            problems = check_dependencies(path, file.read_text(), layers)
        elif file.suffix in SOURCES:
            if layer_of(path) and layer_of(path) not in layers:
                problems = [(1, f"layer {layer_of(path)} is not in DIFFUSE_LAYERS")]
            else:
                problems = check_file(path, file.read_text(), layers)
        else:
            continue
        found += [f"{path}:{line}: {message}" for line, message in problems]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    found = check_tree(parser.parse_args().root)
    print("\n".join(found) if found else "layers: no file includes a later layer")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
