# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that other processes read and write at the same time."""
import contextlib
import fcntl
import os
import pathlib
import tempfile


class FileFailure(Exception):
    """A file cannot be written; the message says which and why."""


def check_outputs(outputs, inputs=()):
    """Raises FileFailure where one of `outputs` cannot be written, or is one of
    `inputs` or another output; before anything is written."""
    for k, output in enumerate(outputs):
        if os.path.isdir(output):
            raise FileFailure(f"{output} is a folder; name a file in it")
        if os.path.exists(output) and not os.path.isfile(output):
            raise FileFailure(f"{output} is not a regular file")
        folder = os.path.dirname(output) or "."
        if not os.path.isdir(folder):
            raise FileFailure(f"cannot write {output}: there is no folder {folder}")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise FileFailure(f"cannot write {output}: the folder cannot be written to")
        if any(_are_one(output, path) for path in inputs):
            raise FileFailure(f"{output} is also an input; name another output")
        if any(_are_one(output, path) for path in outputs[:k]):
            raise FileFailure(f"{output} would be written twice; name another output")


def _are_one(left, right):
    if os.path.exists(left) and os.path.exists(right):
        return os.path.samefile(left, right)
    return os.path.realpath(left) == os.path.realpath(right)


@contextlib.contextmanager
def replacing(path):
    """A binary file to write to that takes the place of `path` when whole.

    Whoever has the old file open or mapped keeps it, and a failure leaves it.
    """
    path = pathlib.Path(path)
    mask = os.umask(0)
    os.umask(mask)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
        try:
            yield file
            os.fchmod(file.fileno(), 0o666 & ~mask)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def write_whole(path, content):
    """Writes `content`, text or bytes, whole or not at all."""
    with replacing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextlib.contextmanager
def locked(path, waiting=lambda: None):
    """Holds the lock file `path`, made where it is absent, against other
    processes; calls `waiting` once where it is another's at first. The lock of a
    process that dies is free. Not to be taken twice by one process."""
    with open(path, "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
