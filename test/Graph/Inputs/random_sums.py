# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a random program of linalg on tensors of f32, many of them with extents
that are not known, and a @main that runs it and prints the bits of what it
returns. Its sums round at each step, so two lowerings agree only where both add
in the same order.

    random_sums.py SEED [OPS]
"""

import math
import random
import sys

from ir_text import Tensor, Writer, affine, identity, names, print_function, types
from random_graph import broadcast

SUM_OF_PRODUCTS = [
    "%m = arith.mulf %p, %q : f32",
    "%s = arith.addf %o, %m : f32",
    "linalg.yield %s : f32",
]


def numbers(writer, shape, unknown=()):
    """A tensor of numbers that sums of them round."""
    body, total = ["%i0 = linalg.index 0 : index"], "%i0"
    for d in range(1, len(shape)):
        body += [
            f"%i{d} = linalg.index {d} : index",
            f"%t{d} = arith.muli {total}, %seven : index",
            f"%s{d} = arith.addi %t{d}, %i{d} : index",
        ]
        total = f"%s{d}"
    body += [
        f"%r = arith.remui {total}, %hundred : index",
        "%v = arith.index_cast %r : index to i32",
        "%f = arith.sitofp %v : i32 to f32",
        "%g = arith.subf %f, %middle : f32",
        f"%k = arith.remui {total}, %seven : index",
        "%w = arith.index_cast %k : index to i32",
        "%h = arith.sitofp %w : i32 to f32",
        "%j = arith.addf %h, %middle : f32",
        "%q = arith.divf %g, %j : f32",
        "linalg.yield %q : f32",
    ]
    kinds = ["parallel"] * len(shape)
    made = writer.generic([identity(len(shape))], kinds, [], writer.empty(shape), body)
    if not unknown:
        return made
    text = f"tensor.cast {made.name} : {made.type} to RESULT"
    return writer.define(shape, unknown, text)


def emit_constants(writer):
    for text in ["seven = 7 : index", "hundred = 101 : index", "middle = 50.3 : f32"]:
        writer.emit("%" + text.replace("=", "= arith.constant"))


class Program(Writer):
    """Each method adds one op and returns its value, or None where no value of
    the program fits."""

    def __init__(self, seed):
        super().__init__("f32")
        self.random, self.values = random.Random(seed), []
        emit_constants(self)

    def pick(self, accepts=lambda value: True):
        found = [value for value in self.values if accepts(value)]
        back = min(int(self.random.expovariate(0.5)), len(found) - 1)
        return found[-1 - back] if found else None

    def init(self, shape, unknown):
        if self.random.random() < 0.3:
            return numbers(self, shape, unknown) if shape else self.fill(shape, "1.3")
        return self.fill(shape, "0.0", unknown)

    def elementwise(self):
        a = self.pick()
        other = self.pick(lambda v: v.rank <= a.rank and broadcast(v, a) is not None)
        op = self.random.choice(["addf", "subf", "maximumf", "addf", "mulf"])
        body = [f"%s = arith.{op} %p, %q : f32", "linalg.yield %s : f32"]
        maps = [identity(a.rank), affine(a.rank, broadcast(other, a)), identity(a.rank)]
        init = self.empty(a.shape, a.unknown)
        return self.generic(maps, ["parallel"] * a.rank, [a, other], init, body)

    def reduction(self, a=None, reduced=()):
        """Over loops in any order; reduced dimensions vanish or stay as ones."""
        a = a or self.pick(lambda v: v.rank)
        loops = self.random.sample(range(a.rank), a.rank)
        reduced = reduced or [d for d in range(a.rank) if self.random.random() < 0.6] or [0]
        keeps, shape, unknown, left = self.random.random() < 0.5, [], set(), []
        for d in range(a.rank):
            if d in reduced and not keeps:
                continue
            if d not in reduced and d in a.unknown:
                unknown.add(len(shape))
            left.append("0" if d in reduced else "d%d" % loops[d])
            shape.append(1 if d in reduced else a.shape[d])
        kinds = ["parallel"] * a.rank
        for d in reduced:
            kinds[loops[d]] = "reduction"
        op = self.random.choice(["addf", "addf", "maximumf"])
        body = [f"%s = arith.{op} %o, %p : f32", "linalg.yield %s : f32"]
        maps = [affine(a.rank, ["d%d" % loop for loop in loops]), affine(a.rank, left)]
        return self.generic(maps, kinds, [a], self.init(shape, unknown), body)

    def contraction(self):
        """Some dimensions of a value are rows, the others summed over."""
        a = self.pick(lambda v: 2 <= v.rank <= 4)
        if not a:
            return None
        count = self.random.choice([1, 1, 2, 2, 3][: a.rank + 1])
        summed = self.random.sample(range(a.rank), count)
        rows = [d for d in range(a.rank) if d not in summed]
        columns = self.random.choice([1, 3, 8])
        loops = self.random.sample(range(a.rank + 1), a.rank + 1)
        order = self.random.sample(summed + [a.rank], len(summed) + 1)
        extents = a.shape + [columns]

        def unknown(dims):
            return {i for i, d in enumerate(dims) if d in a.unknown}

        b = numbers(self, [extents[d] for d in order], unknown(order))
        places = rows + [a.rank]
        if self.random.random() < 0.3:
            places = places[::-1]
        init = self.init([extents[d] for d in places], unknown(places))
        kinds = ["parallel"] * (a.rank + 1)
        for d in summed:
            kinds[loops[d]] = "reduction"
        walks = [range(a.rank), order, places]
        maps = [affine(a.rank + 1, ["d%d" % loops[d] for d in walk]) for walk in walks]
        return self.generic(maps, kinds, [a, b], init, SUM_OF_PRODUCTS)

    def convolution(self):
        """A window of one element, on an image that may be larger than it needs."""
        a = self.pick(lambda v: v.rank == 4 and not v.unknown & {1} and min(v.shape[2:]) > 1)
        if not a:
            return None
        filters = self.random.choice([1, 4])
        weight = numbers(self, [filters, a.shape[1], 1, 1])
        smaller = self.random.randrange(2)
        shape = [a.shape[0], filters, a.shape[2] - smaller, a.shape[3] - smaller]
        return self.named("linalg.conv_2d_nchw_fchw", [a, weight], self.init(shape, a.unknown))

    def transpose(self):
        a = self.pick(lambda v: v.rank > 1)
        if not a:
            return None
        order = self.random.sample(range(a.rank), a.rank)
        unknown = {i for i, d in enumerate(order) if d in a.unknown}
        init = self.empty([a.shape[d] for d in order], unknown)
        operands = f"ins({a.name} : {a.type}) outs({init.name} : {init.type})"
        text = f"linalg.transpose {operands} permutation = {order}"
        return self.define(init.shape, unknown, text)

    def collapse(self, a=None, at=None):
        a = a or self.pick(lambda v: v.rank > 1)
        if not a:
            return None
        at = self.random.randrange(a.rank - 1) if at is None else at
        groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d] for d in range(at + 2, a.rank)]
        shape = a.shape[:at] + [math.prod(a.shape[at : at + 2])] + a.shape[at + 2 :]
        unknown = {d - (d > at) for d in a.unknown}
        text = f"tensor.collapse_shape {a.name} {groups} : {a.type} into RESULT"
        return self.define(shape, unknown, text)

    def expand(self, a=None, at=None):
        a = a or self.pick(lambda v: 0 < v.rank < 5)
        if not a or a.rank not in range(1, 5):
            return None
        at = self.random.randrange(a.rank) if at is None else at
        groups = [[d] for d in range(at)] + [[at, at + 1]]
        groups += [[d + 1] for d in range(at + 1, a.rank)]
        parts = [n for n in range(2, a.shape[at]) if a.shape[at] % n == 0]
        first = self.random.choice(parts or [1, a.shape[at]])
        shape = a.shape[:at] + [first, a.shape[at] // first] + a.shape[at + 1 :]
        unknown = {d + (d > at) for d in a.unknown - {at}}
        if at in a.unknown:
            unknown |= self.random.choice([{at}, {at + 1}, {at, at + 1}, {at, at + 1}])
        sizes = [self.constant(n, "index") if d in unknown else n for d, n in enumerate(shape)]
        text = f"tensor.expand_shape {a.name} {groups} output_shape [{', '.join(map(str, sizes))}]"
        return self.define(shape, unknown, f"{text} : {a.type} into RESULT")

    def split_again(self):
        """Collapses and expands at once: the same extents, or other ones."""
        a = self.pick(lambda v: v.rank > 1 and len(v.unknown) > 1) or self.values[0]
        pairs = [at for at in range(a.rank - 1) if {at, at + 1} <= a.unknown] or [0]
        flat = self.collapse(a, pairs[0])
        return self.expand(flat, pairs[0])

    def sum_of_parts(self):
        """Splits what an op computes and adds the parts in any order."""
        a = self.pick(lambda v: v.rank == 2 and v.shape[1] > 3)
        if not a:
            return None
        row = numbers(self, a.shape[1:], {d - 1 for d in a.unknown if d == 1})
        body = ["%s = arith.subf %p, %q : f32", "linalg.yield %s : f32"]
        maps = [identity(2), affine(2, ["d1"]), identity(2)]
        init = self.empty(a.shape, a.unknown)
        made = self.generic(maps, ["parallel"] * 2, [a, row], init, body)
        return self.reduction(self.expand(made, 1), [1, 2])

    def pad(self):
        a = self.pick(lambda v: v.rank and max(v.shape) < 12)
        low, high = ([self.random.randrange(2) for _ in a.shape] for _ in range(2))
        shape = [sum(parts) for parts in zip(a.shape, low, high)]
        arguments = ", ".join("%%i%d: index" % d for d in range(a.rank))
        region = f"{{\n  ^bb0({arguments}):\n    tensor.yield {self.constant('0.7')} : f32\n  }}"
        text = f"tensor.pad {a.name} low{low} high{high} {region} : {a.type} to RESULT"
        return self.define(shape, a.unknown, text)

    def generate(self, ops):
        shapes = [([4, 6], ()), ([2, 8, 1, 5], ()), ([1, 3, 6, 5], {2, 3}), ([4, 6], {0, 1})]
        shapes += [([6], {0}), ([2, 3, 4], {1}), ([1, 1, 30], {2}), ([2, 8, 1, 1], ())]
        inputs = [Tensor(f"%in{i}", *shape, "f32") for i, shape in enumerate(shapes)]
        self.values = list(inputs)
        often = [self.elementwise, self.reduction, self.contraction, self.split_again] * 3
        often += [self.sum_of_parts] * 3
        twice = [self.collapse, self.expand, self.transpose, self.convolution] * 2
        made = []
        while len(made) < ops:
            value = self.random.choice(often + twice + [self.pad])()
            if value and 0 < math.prod(value.shape) < 4000:
                self.values.append(value)
                made.append(value)
        return inputs, [made[-1]] + self.random.sample(made[:-1], min(4, len(made) - 1))


def emit_print(writer, value, name):
    """One pattern of bits for all that is not a number."""
    known = Tensor("", value.shape, (), "f32").type
    bits = known.replace("f32", "i32")
    maps = f"{identity(value.rank)}, {identity(value.rank)}"
    kinds = ", ".join(['"parallel"'] * value.rank)
    writer.emit(f"{name}s = tensor.cast {name} : {value.type} to {known}")
    writer.emit(f"{name}e = tensor.empty() : {bits}")
    writer.emit(
        f"{name}b = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
        f"ins({name}s : {known}) outs({name}e : {bits}) {{\n"
        "  ^bb0(%p: f32, %o: i32):\n    %c = arith.cmpf uno, %p, %p : f32\n"
        "    %i = arith.bitcast %p : f32 to i32\n    %n = arith.constant -1 : i32\n"
        "    %s = arith.select %c, %n, %i : i32\n    linalg.yield %s : i32\n"
        f"  }} -> {bits}"
    )
    writer.emit(f"{name}u = tensor.cast {name}b : {bits} to tensor<*xi32>")
    writer.emit(f"call @printMemrefI32({name}u) : (tensor<*xi32>) -> ()")


def print_main(inputs, results):
    writer = Writer("f32")
    emit_constants(writer)
    passed = [numbers(writer, value.shape, value.unknown) for value in inputs]
    signature = f"({types(inputs)}) -> ({types(results)})"
    returned = ["%%r%d" % i for i in range(len(results))]
    writer.emit(f"{', '.join(returned)} = call @f({names(passed)}) : {signature}")
    for value, name in zip(results, returned):
        emit_print(writer, value, name)
    print("func.func @main() {\n%s\n  return\n}" % "\n".join(writer.lines))


def main():
    program = Program(int(sys.argv[1]))
    inputs, results = program.generate(int(sys.argv[2]) if len(sys.argv) > 2 else 10)
    print_function(program.lines, inputs, results)
    print_main(inputs, results)


if __name__ == "__main__":
    main()
