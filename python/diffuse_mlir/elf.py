# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a shared library is whole, before it is loaded.

The system maps a library without looking at its length: one that was cut short
(a full disk, a download that broke off) kills the process at the first touch of
what is missing.
"""
import os
import struct

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_MAGIC = b"\x7fELF\x02\x01"


class NoLibrary(ValueError):
    """The file is no shared library, or not all of one; the message says what."""


def check_whole(path):
    """Raises NoLibrary where `path` is no 64-bit ELF file or is shorter than its
    own tables say."""
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        header = file.read(_HEADER.size)
        if header[:len(_MAGIC)] != _MAGIC[:len(header)] or not header:
            raise NoLibrary(f"{path} is no shared library")
        needed = _HEADER.size if size < _HEADER.size else _end_of(file, header, size)
    if size < needed:
        raise NoLibrary(f"{path} is cut short: it has {size} bytes of at least {needed}; build it again")


def _end_of(file, header, size):
    """The end of the last thing that the file's tables name, as far as `size`
    lets them be read."""
    fields = _HEADER.unpack(header)
    segments, sections = fields[5], fields[6]
    segment_size, segment_count, section_size, section_count = fields[9:13]
    end = max(segments + segment_size * segment_count, sections + section_size * section_count)
    if size < end or segment_size != _SEGMENT.size:
        return end
    file.seek(segments)
    for _ in range(segment_count):
        _, _, offset, _, _, in_file, _, _ = _SEGMENT.unpack(file.read(_SEGMENT.size))
        end = max(end, offset + in_file)
    return end
