# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that other processes read and write at the same time."""
import contextlib
import fcntl
import os
import pathlib
import tempfile


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
