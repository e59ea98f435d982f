# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and runs the command-line tools.

Looked for in this order: the bin folder of $DIFFUSE_BUILD_DIR, PATH, and, when
the package is used from a source tree, the build folders of that tree.
"""
import os
import pathlib
import shutil
import subprocess

_TREE = pathlib.Path(__file__).resolve().parents[2]
_BUILD_FOLDERS = ("build", "build-release", "build-test")


class ToolFailure(RuntimeError):
    """A tool is missing or refused its input; the message is the tool's own."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


def find_tool(name):
    """The path of a tool as a string, or ToolFailure."""
    folders = []
    if "DIFFUSE_BUILD_DIR" in os.environ:
        folders.append(pathlib.Path(os.environ["DIFFUSE_BUILD_DIR"]) / "bin")
    else:
        found = shutil.which(name)
        if found:
            return found
        folders += [_TREE / folder / "bin" for folder in _BUILD_FOLDERS]
    for folder in folders:
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
    raise ToolFailure(f"{name} was not found (looked in {', '.join(map(str, folders))}): build the "
                      "project, or name the build folder in DIFFUSE_BUILD_DIR")


def run_tool(name, *arguments, show=False, **options):
    """Runs a tool; returns its output as text. Raises ToolFailure with the
    tool's messages if it does not exit with 0. `show` leaves standard error to
    the terminal, for tools that report progress there."""
    command = [find_tool(name), *map(str, arguments)]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          stderr=None if show else subprocess.PIPE, **options)
    if done.returncode:
        detail = (done.stderr or "").strip() or f"exit status {done.returncode}"
        raise ToolFailure(f"{name}: {detail}", done.returncode)
    return done.stdout
