# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds and runs the command-line tools.

Looked for in this order: the bin folder of $DIFFUSE_BUILD_DIR, PATH, and, when
the package is used from a source tree, the build folders of that tree.
"""
import codecs
import fcntl
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import termios
import tty

_TREE = pathlib.Path(__file__).resolve().parents[2]
# Characters of what a tool says that a failure hands on.
_KEPT = 16384
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
    tool's messages if it does not exit with 0. `show` also shows them as they
    come, for tools that report progress."""
    command = [find_tool(name), *map(str, arguments)]
    if show:
        status, output, messages = _run_shown(command, options)
    else:
        done = subprocess.run(command, text=True, capture_output=True, **options)
        status, output, messages = done.returncode, done.stdout, done.stderr
    if status:
        raise ToolFailure(f"{name}: {_reason(messages) or f'exit status {status}'}", status)
    return output


def _run_shown(command, options):
    """Status, output and messages; the latter also go to standard error, through
    a terminal where that is one, so that the tool shows progress in place."""
    ours, theirs = pty.openpty() if sys.stderr.isatty() else os.pipe()
    if sys.stderr.isatty():
        tty.setraw(theirs)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, fcntl.ioctl(sys.stderr, termios.TIOCGWINSZ, bytes(8)))
    with tempfile.TemporaryFile("w+") as output, open(ours, "rb", buffering=0) as stream:
        with subprocess.Popen(command, stdout=output, stderr=theirs, **options) as child:
            os.close(theirs)
            try:
                messages = _show(stream)
            except KeyboardInterrupt:
                _let_finish(child, stream)
                raise
        output.seek(0)
        return child.returncode, output.read(), messages


def _let_finish(child, stream):
    """The tool was interrupted as well and writes what it has; told again, it is
    killed."""
    try:
        _show(stream)
        child.wait()
    except KeyboardInterrupt:
        child.kill()


def _show(stream):
    """Copies a stream to standard error to its end; the last of it as text."""
    decoder, messages = codecs.getincrementaldecoder("utf-8")("replace"), ""
    while True:
        try:
            chunk = stream.read(65536)
        except OSError:  # a terminal whose other end is closed
            chunk = b""
        if not chunk:
            return messages
        text = decoder.decode(chunk)
        sys.stderr.write(text)
        sys.stderr.flush()
        messages = (messages + text)[-_KEPT:]


def _reason(messages):
    """What went wrong, without progress that was written over."""
    lines = [line.rsplit("\r", 1)[-1] for line in messages.rstrip("\r\n ").split("\n")]
    first = next((k for k, line in enumerate(lines) if "error: " in line), 0)
    return "\n".join(lines[first:]).strip()
