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
import shutil
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements-import.txt")


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

    It is built under another name and renamed when whole, so an interrupted
    download leaves nothing that looks ready.
    """
    folder = environment_folder(name, requirements)
    python = folder / "bin" / "python"
    if python.exists():
        return python
    report(f"making the environment {folder} (about 100 MB of downloads, once)")
    building = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(building, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run([sys.executable, "-m", "venv", str(building)], "python3-venv may be missing")
    _run([str(building / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps",
          "--disable-pip-version-check", "--requirement", str(requirements)],
         "is the package index within reach?")
    try:
        building.rename(folder)
    except OSError:  # another process was first; its environment is as good
        shutil.rmtree(building, ignore_errors=True)
    return python


def _run(command, hint):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise EnvironmentFailure(f"{' '.join(command[1:4])} failed ({hint}): "
                                 f"{lines[-1] if lines else 'no output'}")
