# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compile(): a model in, a callable on numpy arrays out."""
import hashlib
import os
import pathlib
import subprocess
import sys

from . import environment
from .files import locked, write_whole
from .library import Model
from .tools import ToolFailure, run_tool


def compile(model, budget="60s", *, inputs=None, parameters=None, folder=None, numerics="default",
            denormals="preserve", target="host", sketches=(), sketches_only=False, show=True):
    """Tunes and compiles `model`; returns a `Model`.

    model       path of an ONNX or MLIR file, MLIR text, or a torch module
                (exported through torch.onnx, which needs `inputs`)
    budget      time ("60s", "5m") or number of measurements ("500"); "0" uses
                what earlier runs recorded, and default schedules for the rest
    inputs      a torch module's example inputs, a tuple
    parameters  safetensors file of an MLIR model's parameters; those of the other
                kinds of model come along
    folder      where module, records and library are kept; by default one for
                this model in the cache folder, so that a second call with the
                same model goes on from what the first one found. Processes that
                share one take turns
    numerics, denormals, target
                as the tools' options of these names
    sketches    files of schedules with open choices (docs/sketches.md), which are
                searched beside the library's, or alone with `sketches_only`
    show        whether the tuner shows its progress on standard error

    Raises ToolFailure with the tools' message.
    """
    content, suffix = _content(model, inputs)
    code = [f"--numerics={numerics}", f"--denormals={denormals}", f"--target={target}"]
    sketches = [pathlib.Path(file) for file in sketches]
    search = [f"--sketches={file}" for file in sketches] + ["--sketches-only"] * bool(sketches_only)
    if folder:
        folder = records = pathlib.Path(folder)
    else:
        # Records say themselves what they hold for; what is built from them goes
        # by everything that it depends on.
        records = environment.cache_folder() / "models" / _digest(content)
        texts = [f"{file.name} {_digest(file.read_bytes())}" for file in sketches] + search[len(sketches):]
        folder = records / _digest("\n".join([*code, *texts, run_tool("diffuse-tune", "--version")]).encode())
    folder.mkdir(parents=True, exist_ok=True)
    waiting = f"waiting for another process that works in {folder}\n"
    with locked(folder / "lock", lambda: sys.stderr.write(waiting) if show else None):
        source = folder / f"model{suffix}"
        write_whole(source, content)
        if suffix == ".onnx":
            _import(source)
            weights = folder / "model.safetensors"
            parameters = weights if weights.exists() else None
        run_tool("diffuse-tune", folder / "model.mlir", f"--budget={budget}", *code, *search,
                 f"--records={records / 'records.jsonl'}", f"--progress={'auto' if show else 'none'}",
                 "-o", folder / "tuned.mlir", show=show)
        # The loader knows a library by its file: a new one needs a name of its own.
        library = folder / f"model-{_digest((folder / 'tuned.mlir').read_bytes())}.so"
        run_tool("diffuse-compile", folder / "tuned.mlir", *code, "--emit=so", "-o", library)
    return Model(library, parameters)


def _content(model, inputs):
    """The model as bytes, and the suffix of a file that holds it."""
    if hasattr(model, "state_dict"):
        return _export_torch(model, inputs), ".onnx"
    text = os.fspath(model)
    if "\n" in text or "func.func" in text:
        return text.encode(), ".mlir"
    path = pathlib.Path(text)
    if path.suffix not in (".onnx", ".mlir"):
        raise ValueError(f"{path}: the name of a model ends in .onnx or .mlir")
    return path.read_bytes(), path.suffix


def _export_torch(module, inputs):
    if inputs is None:
        raise ValueError("a torch module needs `inputs`, a tuple of example inputs")
    import io
    import torch
    buffer = io.BytesIO()
    torch.onnx.export(module.eval(), tuple(inputs), buffer, opset_version=17)
    return buffer.getvalue()


def _import(path):
    """Runs the importer, in an environment that has what it needs."""
    root = pathlib.Path(__file__).resolve().parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "diffuse_mlir.onnx_import", str(path), "-o", str(path.with_suffix(".mlir"))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)},
        text=True, stderr=subprocess.PIPE)
    if done.returncode:
        raise ToolFailure(f"import of {path}: {done.stderr.strip()}", done.returncode)


def _digest(content):
    return hashlib.sha256(content).hexdigest()[:16]
