# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes and files of running tuners, told from all others by the folder
for temporary files that they were given."""
import fcntl
import os
import pathlib
import time

SECONDS = 60


def wait_for(condition, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def processes_with(temporary):
    """Numbers of those whose environment names the folder or one in it, without
    the dead."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            if any(f"TMPDIR={temporary}{end}".encode() in environment for end in ("\0", "/")):
                found.append(int(folder.name))
        except OSError:
            pass
    return sorted(found)


def scratch_folders(temporary):
    return [path for root in temporary.glob("diffuse-*") for path in root.iterdir() if path.is_dir()]


def held_locks(temporary):
    """Lock files below the folder that some process holds."""
    held = []
    for path in temporary.rglob("*lock"):
        with open(path, "a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(path)
    return held


def describe(process):
    """The program of a process and what kind of child it is, for people."""
    try:
        return os.path.basename(os.readlink(f"/proc/{process}/exe"))
    except OSError:
        return "gone"
