# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is done to the imported text: parameters marked, strangers refused.

The importer's MLIR is newer than LLVM 22's. Its text parses nevertheless (its
bytecode does not), so a change of text is all that is needed; what LLVM 22
cannot parse is named here and not left to a parser's message.
"""
import re

# Dialects that torch-mlir leaves behind for operators linalg has no form of.
FOREIGN = {
    "tm_tensor": "sort, scan and scatter operators (TopK, NonZero, CumSum, ScatterElements, ...)",
    "torch": "operators that torch-mlir does not lower",
    "torch_c": "operators that torch-mlir does not lower",
}


class ImportFailure(Exception):
    """The model cannot be imported; the message says what stands in the way."""


def mark_parameters(text, names):
    """Marks the arguments of @main: `names` holds for each the parameter's name,
    or None for a data input. Drops attributes of the torch dialect."""
    text = re.sub(r" ?attributes \{torch\.[^}]*\}", "", text)
    start, end = _signature(text)
    arguments = split_top_level(text[start:end])
    if len(arguments) != len(names):
        raise ImportFailure(f"@main has {len(arguments)} arguments where {len(names)} were expected")
    marked = [argument if name is None else f"{argument} {{diffuse.parameter = {quote(name)}}}"
              for argument, name in zip(arguments, names)]
    return text[:start] + ", ".join(marked) + text[end:]


def entry_parameters(text):
    """[(key, shape)] of the parameters of @main, in argument order. The key is
    that of a safetensors file: the name, or arg<N> for an unnamed one."""
    start, end = _signature(text)
    found = []
    for k, argument in enumerate(split_top_level(text[start:end])):
        mark = re.search(r'diffuse\.parameter(?: = "([^"]*)")?', argument)
        if mark:
            extents = re.search(r"tensor<((?:\d+x)*)", argument).group(1)
            found.append((mark.group(1) or f"arg{k}", tuple(int(n) for n in extents.split("x") if n)))
    return found


def refuse_foreign_dialects(text):
    """Raises ImportFailure that names the first op and line outside MLIR."""
    pattern = re.compile(r"(?<![\w.%@\"#!])(" + "|".join(FOREIGN) + r")\.\w+(?:\.\w+)*")
    for number, line in enumerate(text.splitlines(), start=1):
        match = pattern.search(line)
        if match:
            raise ImportFailure(
                f"line {number} of the imported text uses '{match.group(0)}', which is not in MLIR: "
                f"{FOREIGN[match.group(1)]} have no linalg form; cut this part out of the model")


def quote(name):
    """An MLIR string literal."""
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\'
                         else "".join(f"\\{b:02X}" for b in c.encode()) for c in name) + '"'


def split_top_level(text):
    """Splits at the commas that are in no bracket."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ">)]}" and text[i - 1:i + 1] != "->":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    tail = text[last:].strip()
    return parts + [tail] if tail else parts


def _signature(text):
    """Where the argument list of @main begins and ends."""
    start = text.find("func.func @main(")
    if start < 0:
        raise ImportFailure("there is no function @main")
    start += len("func.func @main(")
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return start, i
    raise ImportFailure("the signature of @main does not end")
