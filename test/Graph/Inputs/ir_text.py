# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of linalg on tensors, of i32 unless told otherwise, for scripts that make
up programs."""

SUM_OF_PRODUCTS = [
    "%m = arith.muli %p, %q : i32",
    "%s = arith.addi %o, %m : i32",
    "linalg.yield %s : i32",
]


class Tensor:
    """A value with its extents; those in `unknown` are `?` in its type."""

    def __init__(self, name, shape, unknown=(), element="i32"):
        self.name, self.shape, self.unknown = name, list(shape), set(unknown)
        self.element = element

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        dims = ["?" if i in self.unknown else str(n) for i, n in enumerate(self.shape)]
        return "tensor<%s>" % "x".join(dims + [self.element])

    def static(self):
        return not self.unknown

    def like(self, other):
        return self.shape == other.shape and self.unknown == other.unknown


def affine(rank, results):
    dims = ", ".join("d%d" % d for d in range(rank))
    return "affine_map<(%s) -> (%s)>" % (dims, ", ".join(results))


def identity(rank):
    return affine(rank, ["d%d" % d for d in range(rank)])


def names(values):
    return ", ".join(value.name for value in values)


def types(values):
    return ", ".join(value.type for value in values)


def quoted(words):
    return ", ".join('"%s"' % word for word in words)


class Writer:
    """Collects the lines of one function."""

    def __init__(self, element="i32"):
        self.lines, self.count, self.element = [], 0, element

    def emit(self, text):
        self.lines.append("  " + text)

    def name(self):
        self.count += 1
        return "%%v%d" % self.count

    def define(self, shape, unknown, text):
        """Emits `%new = text` and returns the new value."""
        result = Tensor(self.name(), shape, unknown, self.element)
        self.emit(f"{result.name} = {text.replace('RESULT', result.type)}")
        return result

    def constant(self, value, kind=None):
        name = self.name()
        self.emit(f"{name} = arith.constant {value} : {kind or self.element}")
        return name

    def empty(self, shape, unknown=()):
        sizes = ", ".join(self.constant(shape[d], "index") for d in sorted(unknown))
        return self.define(shape, unknown, f"tensor.empty({sizes}) : RESULT")

    def fill(self, shape, value, unknown=()):
        empty, scalar = self.empty(shape, unknown), self.constant(value)
        outs = f"outs({empty.name} : {empty.type})"
        text = f"linalg.fill ins({scalar} : {self.element}) {outs} -> RESULT"
        return self.define(shape, unknown, text)

    def named(self, op, inputs, init, attributes=""):
        ins = f"ins({names(inputs)} : {types(inputs)})"
        outs = f"outs({init.name} : {init.type})"
        return self.define(init.shape, init.unknown, f"{op} {attributes}{ins} {outs} -> RESULT")

    def generic(self, maps, kinds, inputs, init, body):
        """`body` calls its inputs %p and %q and the init's element %o."""
        ins = f"ins({names(inputs)} : {types(inputs)}) " if inputs else ""
        arguments = ["%p", "%q"][: len(inputs)] + ["%o"]
        lines = [
            f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
            f"iterator_types = [{quoted(kinds)}]}} {ins}outs({init.name} : {init.type}) {{",
            "  ^bb0(%s):" % ", ".join(f"{a}: {self.element}" for a in arguments),
            *["    " + line for line in body],
            "  } -> RESULT",
        ]
        return self.define(init.shape, init.unknown, "\n".join(lines))


def print_function(lines, inputs, results):
    """The program as @f, and the printer that @main calls."""
    arguments = ", ".join(f"{value.name}: {value.type}" for value in inputs)
    print(
        "func.func private @printMemrefI32(tensor<*xi32>) "
        "attributes {llvm.emit_c_interface}"
    )
    print(f"func.func @f({arguments}) -> ({types(results)}) {{")
    print("\n".join(lines))
    print(f"  return {names(results)} : {types(results)}\n}}")
