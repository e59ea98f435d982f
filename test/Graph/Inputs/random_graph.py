# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a random program of linalg on integer tensors, and a @main that runs
it on known data and prints what it returns. Integers wrap, so every order of
evaluation gives the same bits, and two lowerings of a program can be compared
exactly.

    random_graph.py SEED [OPS]
"""

import math
import random
import sys

from ir_text import SUM_OF_PRODUCTS, Tensor, Writer, affine, identity, names, print_function, types


def broadcast(value, onto):
    """Indices that read `value` over the loops of `onto`, or None."""
    indices = []
    for dim in range(value.rank):
        loop = onto.rank - value.rank + dim
        same = (dim in value.unknown) == (loop in onto.unknown)
        if value.shape[dim] == onto.shape[loop] and same:
            indices.append("d%d" % loop)
        elif value.shape[dim] == 1 and dim not in value.unknown:
            indices.append("0")
        else:
            return None
    return indices


class Program(Writer):
    """Each method adds one op and returns its value, or None where no value of
    the program fits."""

    def __init__(self, seed):
        super().__init__()
        self.random, self.values = random.Random(seed), []

    def pick(self, accepts=lambda value: True):
        """Late values are taken more often: long chains, some branches."""
        found = [value for value in self.values if accepts(value)]
        back = min(int(self.random.expovariate(0.5)), len(found) - 1)
        return found[-1 - back] if found else None

    def init(self, shape, unknown=()):
        """A constant, or data of the same type."""
        wanted = Tensor("", shape, unknown)
        data = self.pick(wanted.like)
        if data and self.random.random() < 0.3:
            return data
        return self.fill(shape, self.random.choice([0, 0, 0, 3]), unknown)

    def parallel(self, a, inputs, maps, body, in_place=False):
        init = a if in_place else self.empty(a.shape, a.unknown)
        maps = maps + [identity(a.rank)]
        return self.generic(maps, ["parallel"] * a.rank, inputs, init, body)

    def elementwise(self):
        a = self.pick()
        other = self.pick(lambda v: v.rank <= a.rank and broadcast(v, a) is not None)
        op = self.random.choice(["addi", "muli", "subi", "maxsi", "xori"])
        body = [f"%s = arith.{op} %p, %q : i32", "linalg.yield %s : i32"]
        if self.random.random() < 0.2:
            scalar = self.constant(self.random.randrange(9))
            body = [f"%t = arith.addi %q, {scalar} : i32", body[0].replace("%q", "%t"), body[1]]
        maps = [identity(a.rank), affine(a.rank, broadcast(other, a))]
        return self.parallel(a, [a, other], maps, body)

    def in_place(self):
        body = ["%s = arith.muli %o, %o : i32", "linalg.yield %s : i32"]
        return self.parallel(self.pick(), [], [], body, in_place=True)

    def indexed(self):
        a = self.pick(lambda v: v.rank)
        body = [
            f"%i = linalg.index {self.random.randrange(a.rank)} : index",
            "%c = arith.index_cast %i : index to i32",
            "%s = arith.addi %p, %c : i32",
            "linalg.yield %s : i32",
        ]
        return self.parallel(a, [a], [identity(a.rank)], body)

    def gather(self):
        a = self.pick(lambda v: v.rank == 2)
        if not a:
            return None
        zero = self.constant(0, "index")
        body = [
            "%i = linalg.index 0 : index",
            f"%s = tensor.extract {a.name}[%i, {zero}] : {a.type}",
            "linalg.yield %s : i32",
        ]
        init = self.empty(a.shape[:1], a.unknown & {0})
        return self.generic([identity(1)], ["parallel"], [], init, body)

    def reduction(self):
        a = self.pick(lambda v: v.rank)
        dims = [d for d in range(a.rank) if self.random.random() < 0.5] or [a.rank - 1]
        keeps = self.random.random() < 0.5
        left, shape, unknown = [], [], set()
        for d in range(a.rank):
            if d not in dims:
                if d in a.unknown:
                    unknown.add(len(shape))
                left.append("d%d" % d)
                shape.append(a.shape[d])
            elif keeps:
                left.append("0")
                shape.append(1)
        op = self.random.choice(["addi", "maxsi", "muli"])
        kinds = ["reduction" if d in dims else "parallel" for d in range(a.rank)]
        body = [f"%s = arith.{op} %o, %p : i32", "linalg.yield %s : i32"]
        maps = [identity(a.rank), affine(a.rank, left)]
        return self.generic(maps, kinds, [a], self.init(shape, unknown), body)

    def last(self):
        """Depends on the order of its steps."""
        a = self.pick(lambda v: v.rank == 2)
        if not a:
            return None
        init = self.init(a.shape[:1], a.unknown & {0})
        maps = [identity(2), affine(2, ["d0"])]
        return self.generic(maps, ["parallel", "reduction"], [a], init, ["linalg.yield %p : i32"])

    def move(self, op, a, shape, unknown, attribute):
        init = self.empty(shape, unknown)
        operands = f"ins({a.name} : {a.type}) outs({init.name} : {init.type})"
        return self.define(shape, unknown, f"linalg.{op} {operands} {attribute}")

    def transpose(self):
        a = self.pick(lambda v: v.rank > 1)
        if not a:
            return None
        order = self.random.sample(range(a.rank), a.rank)
        unknown = {i for i, d in enumerate(order) if d in a.unknown}
        shape = [a.shape[d] for d in order]
        return self.move("transpose", a, shape, unknown, f"permutation = {order}")

    def spread(self):
        a = self.pick(lambda v: v.rank < 4)
        at, extent = self.random.randrange(a.rank + 1), self.random.choice([1, 2, 3])
        shape = a.shape[:at] + [extent] + a.shape[at:]
        unknown = {d + (d >= at) for d in a.unknown}
        return self.move("broadcast", a, shape, unknown, f"dimensions = [{at}]")

    def contraction(self):
        a = self.pick(lambda v: v.rank in (2, 3) and not v.unknown - {0})
        if not a or (a.rank == 3 and a.unknown):
            return None
        batch, rows, k = a.shape[:-2], a.shape[-2], a.shape[-1]
        n = self.random.choice([1, 2, 5])
        wanted = Tensor("", batch + [k, n])
        b = self.pick(wanted.like) or self.fill(wanted.shape, 2)
        if a.rank == 2 and self.random.random() < 0.3:
            init = self.init([n, rows], {1} if a.unknown else ())
            maps = [affine(3, ["d1", "d2"]), affine(3, ["d2", "d0"]), affine(3, ["d0", "d1"])]
            kinds = ["parallel", "parallel", "reduction"]
            return self.generic(maps, kinds, [a, b], init, SUM_OF_PRODUCTS)
        op = "linalg.batch_matmul" if batch else "linalg.matmul"
        return self.named(op, [a, b], self.init(batch + [rows, n], a.unknown))

    def window(self, x=None):
        x = x or self.pick(lambda v: v.rank == 4 and v.static())
        if not x:
            return None
        n, c, h, w = x.shape
        size = self.random.choice([s for s in (1, 1, 3) if s <= min(h, w)])
        stride = self.random.choice([1, 1, 2])
        image = [(extent - size) // stride + 1 for extent in (h, w)]
        filters = self.random.choice([1, 4])
        op = self.random.choice(
            ["conv_2d_nchw_fchw", "depthwise_conv_2d_nchw_chw"]
            + ["pooling_nchw_sum", "pooling_nchw_max"]
        )
        if op.startswith("conv"):
            weight, shape = self.fill([filters, c, size, size], 2), [n, filters] + image
        elif op.startswith("depthwise"):
            weight, shape = self.fill([c, size, size], 3), [n, c] + image
        else:
            weight, shape = self.empty([size, size]), [n, c] + image
        attributes = (
            f"{{dilations = dense<1> : tensor<2xi64>, "
            f"strides = dense<{stride}> : tensor<2xi64>}} "
        )
        return self.named("linalg." + op, [x, weight], self.init(shape), attributes)

    def pad(self):
        a = self.pick(lambda v: v.rank and v.static() and max(v.shape) < 12)
        if not a:
            return None
        low = [self.random.randrange(2) for _ in a.shape]
        high = [self.random.randrange(2) for _ in a.shape]
        return self.pad_by(a, low, high)

    def pad_by(self, a, low, high):
        shape = [sum(parts) for parts in zip(a.shape, low, high)]
        arguments = ", ".join("%%i%d: index" % d for d in range(a.rank))
        region = f"{{\n  ^bb0({arguments}):\n    tensor.yield {self.constant(7)} : i32\n  }}"
        text = f"tensor.pad {a.name} low{low} high{high} {region} : {a.type} to RESULT"
        return self.define(shape, (), text)

    def padded_window(self):
        """What was just computed, padded once or twice, and read by windows."""
        a = self.pick(lambda v: v.rank == 4 and v.static() and max(v.shape) < 12)
        if not a:
            return None
        for _ in range(self.random.choice([1, 1, 2])):
            low, high = ([0, 0] + [self.random.choice([0, 1, 1])] * 2 for _ in "lh")
            padded = self.pad_by(a, low, high)
            result = self.window(padded)
            self.values += [padded, result] if self.random.random() < 0.3 else [result]
        return result

    def reshape(self):
        a = self.pick(lambda v: v.rank > 1 and v.static())
        if not a:
            return None
        at = self.random.randrange(a.rank - 1)
        before, pair, after = a.shape[:at], a.shape[at : at + 2], a.shape[at + 2 :]
        groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d] for d in range(at + 2, a.rank)]
        text = f"tensor.collapse_shape {a.name} {groups} : {a.type} into RESULT"
        flat = self.define(before + [math.prod(pair)] + after, (), text)
        if self.random.random() < 0.5:
            return flat
        self.values.append(flat)
        shape = before + pair[::-1] + after
        text = f"tensor.expand_shape {flat.name} {groups} output_shape {shape}"
        return self.define(shape, (), f"{text} : {flat.type} into RESULT")

    def slices(self):
        a = self.pick(lambda v: v.rank and v.static() and v.shape[0] > 1)
        if not a:
            return None
        rest, ones = [0] * (a.rank - 1), [1] * a.rank
        shape = [1] + a.shape[1:]
        text = f"tensor.extract_slice {a.name}{[1] + rest} {shape} {ones} : {a.type} to RESULT"
        part = self.define(shape, (), text)
        if self.random.random() < 0.5:
            return part
        text = f"tensor.insert_slice {part.name} into {a.name}{[0] + rest} {shape} {ones}"
        return self.define(a.shape, (), f"{text} : {part.type} into RESULT")

    def loop(self):
        a = self.pick()
        bounds = [self.constant(n, "index") for n in (0, 3, 1)]
        result = Tensor(self.name(), a.shape, a.unknown)
        carried = Tensor(self.name(), a.shape, a.unknown)
        self.emit(
            f"{result.name} = scf.for {self.name()} = {bounds[0]} to {bounds[1]} "
            f"step {bounds[2]} iter_args({carried.name} = {a.name}) -> ({a.type}) {{"
        )
        outer, self.values = self.values, self.values + [carried]
        for _ in range(2):
            self.values = self.values + [self.elementwise()]
        final = self.pick(a.like)
        self.emit(f"  scf.yield {final.name} : {final.type}\n  }}")
        self.values = outer
        return result

    def generate(self, ops):
        inputs = [
            Tensor("%in_a", [4, 6]),
            Tensor("%in_b", [1, 3, 6, 5]),
            Tensor("%in_c", [2, 4, 6]),
            Tensor("%in_d", [6]),
            Tensor("%in_e", [4, 6], {0}),
        ]
        self.values = list(inputs)
        often = [self.elementwise] * 6 + [self.contraction] * 3 + [self.window] * 4
        twice = [self.reduction, self.transpose, self.reshape] * 2
        once = [self.in_place, self.indexed, self.gather, self.last, self.spread]
        makers = often + twice + once + [self.pad, self.slices, self.loop]
        makers += [self.padded_window] * 3
        made = []
        while len(made) < ops:
            value = self.random.choice(makers)()
            if value and 0 < math.prod(value.shape) < 4000:
                self.values.append(value)
                made.append(value)
        return inputs, [made[-1]] + self.random.sample(made[:-1], min(2, len(made) - 1))


def make_input(writer, value):
    """A tensor of small numbers that depend on the place."""
    body, total = ["%i0 = linalg.index 0 : index"], "%i0"
    for d in range(1, value.rank):
        body += [
            f"%i{d} = linalg.index {d} : index",
            f"%t{d} = arith.muli {total}, %three : index",
            f"%s{d} = arith.addi %t{d}, %i{d} : index",
        ]
        total = f"%s{d}"
    body += [
        f"%r = arith.remui {total}, %seven : index",
        "%v = arith.index_cast %r : index to i32",
        "linalg.yield %v : i32",
    ]
    kinds = ["parallel"] * value.rank
    made = writer.generic([identity(value.rank)], kinds, [], writer.empty(value.shape), body)
    if not value.unknown:
        return made
    text = f"tensor.cast {made.name} : {made.type} to RESULT"
    return writer.define(value.shape, value.unknown, text)


def print_main(inputs, results):
    writer = Writer()
    writer.emit("%three = arith.constant 3 : index\n  %seven = arith.constant 7 : index")
    passed = [make_input(writer, value) for value in inputs]
    signature = f"({types(inputs)}) -> ({types(results)})"
    writer.emit(f"%r:{len(results)} = call @f({names(passed)}) : {signature}")
    for i, value in enumerate(results):
        writer.emit(f"%u{i} = tensor.cast %r#{i} : {value.type} to tensor<*xi32>")
        writer.emit(f"call @printMemrefI32(%u{i}) : (tensor<*xi32>) -> ()")
    print("func.func @main() {\n%s\n  return\n}" % "\n".join(writer.lines))


def main():
    program = Program(int(sys.argv[1]))
    inputs, results = program.generate(int(sys.argv[2]) if len(sys.argv) > 2 else 12)
    print_function(program.lines, inputs, results)
    print_main(inputs, results)


if __name__ == "__main__":
    main()
