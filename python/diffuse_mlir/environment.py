# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Virtual environments of the package's own, made on first use.

torch-mlir and onnx are needed to import a model and by nothing else, other
runtimes to compare with and by nothing else; so they live in environments below
the user's cache folder, with pinned versions. The folder's name holds a digest
of the requirements: a release that needs others makes a new one and leaves the
old alone.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

from .files import locked

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements-import.txt")
PIN = re.compile(r"^([\w.-]+)==([^\s;#]+)", re.MULTILINE)


class EnvironmentFailure(RuntimeError):
    """The environment could not be made; the message says why."""


def cache_folder():
    """$DIFFUSE_CACHE_DIR, else diffuse-mlir in the user's cache folder."""
    if "DIFFUSE_CACHE_DIR" in os.environ:
        return pathlib.Path(os.environ["DIFFUSE_CACHE_DIR"])
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "diffuse-mlir"


def environment_folder(name, requirements):
    """Where the environment for these requirements belongs."""
    key = requirements.read_bytes() + sys.version.split()[0].encode()
    return cache_folder() / f"{name}-{hashlib.sha256(key).hexdigest()[:12]}"


def import_python():
    """The Python of the ONNX importer's environment."""
    return environment_python("import", REQUIREMENTS)


def environment_python(name, requirements, report=lambda line: print(line, file=sys.stderr)):
    """The Python of the environment `name` with what the file `requirements`
    pins, after making the environment if it is absent.

    It is built under another name and renamed when whole. One that lacks what is
    pinned, however that came, is made anew. Processes that need the same one wait
    for the first.
    """
    folder = environment_folder(name, requirements)
    python = folder / "bin" / "python"
    if _is_whole(folder, requirements):
        return python
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(f"{folder.name}.lock"),
                lambda: report(f"waiting for another process to make the environment {folder}")):
        if not _is_whole(folder, requirements):
            report(f"making the environment {folder} (about 100 MB of downloads, once)")
            _make(folder, requirements)
    return python


def _make(folder, requirements):
    building = folder.with_name(f"{folder.name}.building")
    for leftover in (building, folder):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        _run([sys.executable, "-m", "venv", str(building)], "python3-venv may be missing")
        _run([str(building / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps",
              "--disable-pip-version-check", "--requirement", str(requirements)],
             "is the package index within reach?")
        building.rename(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _is_whole(folder, requirements):
    """Whether the environment runs and has every version that is pinned."""
    if not (folder / "bin" / "python").exists():
        return False
    present = {_distribution(*found.name.removesuffix(".dist-info").split("-")[:2])
               for found in folder.glob("lib/python*/site-packages/*.dist-info") if "-" in found.name}
    return present >= {_distribution(*pin) for pin in PIN.findall(requirements.read_text())}


def _distribution(name, version):
    """A distribution however its name is spelled."""
    return re.sub(r"[-_.]+", "-", name).lower(), version


def _run(command, hint):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise EnvironmentFailure(f"{' '.join(command[1:4])} failed ({hint}): "
                                 f"{lines[-1] if lines else 'no output'}")
