# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Running tools, and reading what they and the runner's print functions write."""
import json
import os
import re
import subprocess
import sys

import pytest

from diffuse_mlir.tools import ToolFailure, find_tool

# Long enough for a busy machine; it only has to tell a hang from work.
HANG_SECONDS = 300


class Result:
    """What a tool did: `status`, `out`, `err`."""

    def __init__(self, command, done):
        self.command, self.status = command, done.returncode
        self.out, self.err = done.stdout, done.stderr

    def __repr__(self):
        return f"{' '.join(self.command)}\nexit status {self.status}\n{self.out[-1500:]}\n{self.err[-3000:]}"

    def succeeds(self):
        assert self.status == 0, self
        return self

    def fails(self, *words, status=1):
        """It ended by itself with this status and a message holding `words`."""
        assert self.status == status, self
        for word in words:
            assert word in self.err, self
        return self

    def does_not_crash(self):
        """Done, or refused with a message; no signal, no wrong answer."""
        assert self.status in (0, 1, 2), self
        assert self.status == 0 or self.err.strip(), self
        return self


def run_tool(name, arguments, cwd, timeout=HANG_SECONDS):
    try:
        command = [find_tool(name), *map(str, arguments)]
    except ToolFailure as failure:
        # A named build folder without the tool is a fault; no build at all is not.
        (pytest.fail if "DIFFUSE_BUILD_DIR" in os.environ else pytest.skip)(str(failure))
    done = subprocess.run(command, cwd=cwd, timeout=timeout, text=True, errors="replace",
                          capture_output=True)
    return Result(command, done)


def description(library, model):
    """What the library says of itself, read in another process: none of its code
    stays in this one."""
    program = (f"import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).diffuse_{model}_describe; "
               "f.restype = ctypes.c_char_p; print(f().decode())")
    done = subprocess.run([sys.executable, "-c", program, library], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


# -- printed memrefs ----------------------------------------------------------

HEADER = re.compile(r"rank = \d+ offset = \d+ sizes = \[([\d, ]*)\] strides = \[[\d, ]*\] data = *")
NUMBER = r"[-+]?(?:nan|inf|\d+\.?\d*(?:e[-+]?\d+)?)"


def parse_memrefs(text):
    """[(sizes, values)] of the memrefs printed in `text`, values in row order.
    A complex value is a pair. Offsets and strides are not compared: they tell
    where a result lives, not what it is."""
    headers = list(HEADER.finditer(text))
    found = []
    for k, header in enumerate(headers):
        end = headers[k + 1].start() if k + 1 < len(headers) else len(text)
        # The next memref's line begins with its address before the header.
        body = text[header.end():end].split("Unranked Memref")[0]
        sizes = tuple(int(n) for n in header.group(1).split(",") if n.strip())
        found.append((sizes, _values(body)))
    return found


def _values(body):
    pairs = re.findall(rf"\(({NUMBER}),\s*({NUMBER})\)", body)
    if pairs:
        return [(float(a), float(b)) for a, b in pairs]
    return [float(n) for n in re.findall(NUMBER, body)]


def reference_output(path):
    """The memrefs in the REF-OUTPUT comment of a case file, or None."""
    text = path.read_text()
    start = text.find("REF-OUTPUT (stock")
    if start < 0:
        return None
    lines = []
    for line in text[start:].splitlines()[1:]:
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/"))
    return parse_memrefs("\n".join(lines))


# -- modules ------------------------------------------------------------------

PASSES = ["--diffuse-outline-subgraphs", "--diffuse-hash-subgraphs",
          "--diffuse-cluster-subgraphs", "--diffuse-verify-module"]


def functions(text):
    """{name: text} of the functions of a printed module."""
    starts = [m for m in re.finditer(r'^ *func\.func (?:private |public )?@("(?:[^"\\]|\\.)*"|[\w.$-]+)',
                                     text, re.MULTILINE)]
    ends = [m.start() for m in starts[1:]] + [len(text)]
    return {m.group(1).strip('"'): text[m.start():end] for m, end in zip(starts, ends)}


def subgraphs(text):
    """The functions that are subgraphs."""
    return {name: body for name, body in functions(text).items()
            if "diffuse.subgraph" in body.split("{\n", 1)[0]}


def attribute(body, name):
    """A diffuse.* string or integer attribute in a function's first line."""
    match = re.search(rf'diffuse\.{name} = (?:"([^"]*)"|(-?\d+)|@(\S+?)[,}}])', body.split("{\n", 1)[0])
    assert match, f"no diffuse.{name} in {body[:400]}"
    return next(g for g in match.groups() if g is not None)
