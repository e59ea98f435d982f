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


class Tensor:
    """A value with its extents; those in `unknown` are `?` in its type."""

    def __init__(self, name, shape, unknown=()):
        self.name, self.shape, self.unknown = name, list(shape), set(unknown)

    @property
    def rank(self):
        return len(self.shape)

    @property
    def type(self):
        dims = ["?" if i in self.unknown else str(n) for i, n in enumerate(self.shape)]
        return "tensor<%s>" % "x".join(dims + ["i32"])

    def static(self):
        return not self.unknown


def affine(rank, results):
    dims = ", ".join("d%d" % d for d in range(rank))
    return "affine_map<(%s) -> (%s)>" % (dims, ", ".join(results))


def identity(rank):
    return ["d%d" % d for d in range(rank)]


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.count, self.values = [], 0, []

    def emit(self, text):
        self.lines.append(text)

    def name(self):
        self.count += 1
        return "%%v%d" % self.count

    def pick(self, accepts=lambda value: True):
        found = [value for value in self.values if accepts(value)]
        # Late values are taken more often: long chains, some branches.
        return found[-1 - min(int(self.random.expovariate(0.5)), len(found) - 1)] if found else None

    def keep(self, value):
        self.values.append(value)
        return value

    def constant(self, value, kind="i32"):
        name = self.name()
        self.emit(f"  {name} = arith.constant {value} : {kind}")
        return name

    def empty(self, shape, unknown=()):
        sizes = [self.constant(shape[d], "index") for d in sorted(unknown)]
        result = Tensor(self.name(), shape, unknown)
        self.emit(f"  {result.name} = tensor.empty({', '.join(sizes)}) : {result.type}")
        return result

    def fill(self, shape, value, unknown=()):
        empty = self.empty(shape, unknown)
        scalar = self.constant(value)
        result = Tensor(self.name(), shape, unknown)
        self.emit(f"  {result.name} = linalg.fill ins({scalar} : i32) outs({empty.name} : {empty.type}) -> {result.type}")
        return result

    def init(self, shape, unknown=()):
        """A zero, a value, or data of the same type."""
        data = self.pick(lambda v: v.shape == list(shape) and v.unknown == set(unknown))
        if data and self.random.random() < 0.3:
            return data
        return self.fill(shape, self.random.choice([0, 0, 0, 3]), unknown)

    def generic(self, maps, iterators, inputs, init, body, arguments):
        """body: lines; arguments: names of the block arguments."""
        result = Tensor(self.name(), init.shape, init.unknown)
        ins = ""
        if inputs:
            ins = "ins(%s : %s) " % (", ".join(v.name for v in inputs), ", ".join(v.type for v in inputs))
        kinds = ", ".join('"%s"' % kind for kind in iterators)
        self.emit(f"  {result.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{kinds}]}} {ins}outs({init.name} : {init.type}) {{")
        self.emit("  ^bb0(%s):" % ", ".join("%s: i32" % a for a in arguments))
        for line in body:
            self.emit("    " + line)
        self.emit("  } -> " + result.type)
        return result

    # -- ops ----------------------------------------------------------------

    def elementwise(self):
        a = self.pick()
        maps, inputs = [affine(a.rank, identity(a.rank))], [a]
        other = self.pick(lambda v: v.rank <= a.rank and self.broadcast(v, a) is not None)
        maps.append(affine(a.rank, self.broadcast(other, a)))
        inputs.append(other)
        op = self.random.choice(["addi", "muli", "subi", "maxsi", "xori"])
        init = self.empty(a.shape, a.unknown)
        body = [f"%s = arith.{op} %p, %q : i32", "linalg.yield %s : i32"]
        if self.random.random() < 0.2:
            c = self.constant(self.random.randrange(9))
            body = [f"%t = arith.addi %q, {c} : i32", f"%s = arith.{op} %p, %t : i32", "linalg.yield %s : i32"]
        maps.append(affine(a.rank, identity(a.rank)))
        return self.generic(maps, ["parallel"] * a.rank, inputs, init, body, ["%p", "%q", "%o"])

    def broadcast(self, value, onto):
        """Indices that read `value` over the loops of `onto`, or None."""
        indices = []
        loops = list(range(onto.rank))[-value.rank:] if value.rank else []
        for dim, loop in zip(range(value.rank), loops):
            if value.shape[dim] == onto.shape[loop] and (dim in value.unknown) == (loop in onto.unknown):
                indices.append("d%d" % loop)
            elif value.shape[dim] == 1 and dim not in value.unknown:
                indices.append("0")
            else:
                return None
        return indices

    def in_place(self):
        a = self.pick()
        body = ["%s = arith.muli %o, %o : i32", "linalg.yield %s : i32"]
        return self.generic([affine(a.rank, identity(a.rank))], ["parallel"] * a.rank, [], a, body, ["%o"])

    def indexed(self):
        a = self.pick(lambda v: v.rank)
        dim = self.random.randrange(a.rank)
        body = [f"%i = linalg.index {dim} : index", "%c = arith.index_cast %i : index to i32",
                "%s = arith.addi %p, %c : i32", "linalg.yield %s : i32"]
        maps = [affine(a.rank, identity(a.rank))] * 2
        return self.generic(maps, ["parallel"] * a.rank, [a], self.empty(a.shape, a.unknown), body, ["%p", "%o"])

    def gather(self):
        a = self.pick(lambda v: v.rank == 2)
        if not a:
            return None
        zero = self.constant(0, "index")
        body = ["%i = linalg.index 0 : index", f"%s = tensor.extract {a.name}[%i, {zero}] : {a.type}", "linalg.yield %s : i32"]
        return self.generic([affine(1, ["d0"])], ["parallel"], [], self.empty(a.shape[:1], a.unknown & {0}), body, ["%o"])

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
        maps = [affine(a.rank, identity(a.rank)), affine(a.rank, left)]
        return self.generic(maps, kinds, [a], self.init(shape, unknown), body, ["%p", "%o"])

    def last(self):
        a = self.pick(lambda v: v.rank == 2)
        if not a:
            return None
        body = ["linalg.yield %p : i32"]
        maps = [affine(2, ["d0", "d1"]), affine(2, ["d0"])]
        return self.generic(maps, ["parallel", "reduction"], [a], self.init(a.shape[:1], a.unknown & {0}), body, ["%p", "%o"])

    def transpose(self):
        a = self.pick(lambda v: v.rank > 1)
        if not a:
            return None
        order = list(range(a.rank))
        self.random.shuffle(order)
        unknown = {i for i, d in enumerate(order) if d in a.unknown}
        init = self.empty([a.shape[d] for d in order], unknown)
        result = Tensor(self.name(), init.shape, init.unknown)
        self.emit(f"  {result.name} = linalg.transpose ins({a.name} : {a.type}) outs({init.name} : {init.type}) permutation = {order}")
        return result

    def spread(self):
        a = self.pick(lambda v: v.rank < 4)
        at, extent = self.random.randrange(a.rank + 1), self.random.choice([1, 2, 3])
        shape = a.shape[:at] + [extent] + a.shape[at:]
        init = self.empty(shape, {d + (d >= at) for d in a.unknown})
        result = Tensor(self.name(), init.shape, init.unknown)
        self.emit(f"  {result.name} = linalg.broadcast ins({a.name} : {a.type}) outs({init.name} : {init.type}) dimensions = [{at}]")
        return result

    def contraction(self):
        a = self.pick(lambda v: v.rank in (2, 3) and 2 not in v.unknown | {9} and v.rank - 1 not in v.unknown)
        if not a:
            return None
        k, n = a.shape[-1], self.random.choice([1, 2, 5])
        batch = a.shape[:-2]
        b = self.pick(lambda v: v.shape == batch + [k, n] and v.static()) or self.fill(batch + [k, n], 2)
        flip = self.random.random() < 0.3
        unknown = {d for d in a.unknown if d < a.rank - 1}
        if flip and a.rank == 2:
            init = self.init([n, a.shape[0]], {1} if 0 in unknown else set())
            maps = [affine(3, ["d1", "d2"]), affine(3, ["d2", "d0"]), affine(3, ["d0", "d1"])]
            body = ["%m = arith.muli %p, %q : i32", "%s = arith.addi %o, %m : i32", "linalg.yield %s : i32"]
            return self.generic(maps, ["parallel", "parallel", "reduction"], [a, b], init, body, ["%p", "%q", "%o"])
        init = self.init(batch + [a.shape[-2], n], unknown)
        if batch and 0 in a.unknown:
            return None
        result = Tensor(self.name(), init.shape, init.unknown)
        op = "linalg.batch_matmul" if batch else "linalg.matmul"
        self.emit(f"  {result.name} = {op} ins({a.name}, {b.name} : {a.type}, {b.type}) outs({init.name} : {init.type}) -> {result.type}")
        return result

    def convolution(self):
        x = self.pick(lambda v: v.rank == 4 and v.static() and min(v.shape[2:]) >= 1)
        if not x:
            return None
        size = self.random.choice([s for s in (1, 1, 3) if s <= min(x.shape[2:])] or [1])
        stride = self.random.choice([1, 1, 2])
        n, c, h, w = x.shape
        out = [(e - size) // stride + 1 for e in (h, w)]
        kind = self.random.choice(["conv", "depthwise", "pool"])
        attributes = f"{{dilations = dense<1> : tensor<2xi64>, strides = dense<{stride}> : tensor<2xi64>}}"
        if kind == "conv":
            f = self.random.choice([1, 4])
            weight, init, op = self.fill([f, c, size, size], 2), self.init([n, f] + out), "linalg.conv_2d_nchw_fchw"
        elif kind == "depthwise":
            weight, init, op = self.fill([c, size, size], 3), self.init([n, c] + out), "linalg.depthwise_conv_2d_nchw_chw"
        else:
            weight, init = self.empty([size, size]), self.init([n, c] + out)
            op = self.random.choice(["linalg.pooling_nchw_sum", "linalg.pooling_nchw_max"])
        result = Tensor(self.name(), init.shape)
        self.emit(f"  {result.name} = {op} {attributes} ins({x.name}, {weight.name} : {x.type}, {weight.type}) outs({init.name} : {init.type}) -> {result.type}")
        return result

    def pad(self):
        a = self.pick(lambda v: v.rank and v.static() and max(v.shape) < 12)
        if not a:
            return None
        low = [self.random.randrange(2) for _ in a.shape]
        high = [self.random.randrange(2) for _ in a.shape]
        result = Tensor(self.name(), [e + x + y for e, x, y in zip(a.shape, low, high)])
        scalar = self.constant(7)
        arguments = ", ".join("%%i%d: index" % d for d in range(a.rank))
        self.emit(f"  {result.name} = tensor.pad {a.name} low{low} high{high} {{\n  ^bb0({arguments}):\n    tensor.yield {scalar} : i32\n  }} : {a.type} to {result.type}")
        return result

    def reshape(self):
        a = self.pick(lambda v: v.rank > 1 and v.static())
        if not a:
            return None
        at = self.random.randrange(a.rank - 1)
        groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d] for d in range(at + 2, a.rank)]
        flat = Tensor(self.name(), a.shape[:at] + [a.shape[at] * a.shape[at + 1]] + a.shape[at + 2:])
        self.emit(f"  {flat.name} = tensor.collapse_shape {a.name} {groups} : {a.type} into {flat.type}")
        if self.random.random() < 0.5:
            return flat
        self.keep(flat)
        back = Tensor(self.name(), a.shape[:at] + [a.shape[at + 1], a.shape[at]] + a.shape[at + 2:])
        self.emit(f"  {back.name} = tensor.expand_shape {flat.name} {groups} output_shape {back.shape} : {flat.type} into {back.type}")
        return back

    def slices(self):
        a = self.pick(lambda v: v.rank and v.static() and v.shape[0] > 1)
        if not a:
            return None
        zeros, ones = [0] * a.rank, [1] * a.rank
        part = Tensor(self.name(), [1] + a.shape[1:])
        self.emit(f"  {part.name} = tensor.extract_slice {a.name}{[1] + zeros[1:]} {part.shape} {ones} : {a.type} to {part.type}")
        if self.random.random() < 0.5:
            return part
        result = Tensor(self.name(), a.shape)
        self.emit(f"  {result.name} = tensor.insert_slice {part.name} into {a.name}{zeros} {part.shape} {ones} : {part.type} into {a.type}")
        return result

    def loop(self):
        a = self.pick()
        start, end, step = self.constant(0, "index"), self.constant(3, "index"), self.constant(1, "index")
        result, carried = Tensor(self.name(), a.shape, a.unknown), Tensor(self.name(), a.shape, a.unknown)
        self.emit(f"  {result.name} = scf.for {self.name()} = {start} to {end} step {step} iter_args({carried.name} = {a.name}) -> ({a.type}) {{")
        outer, self.values = self.values, self.values + [carried]
        for _ in range(2):
            step_result = self.elementwise()
            if step_result.shape == a.shape and step_result.unknown == a.unknown:
                self.values = self.values + [step_result]
        final = self.pick(lambda v: v.shape == a.shape and v.unknown == a.unknown)
        self.emit(f"    scf.yield {final.name} : {final.type}\n  }}")
        self.values = outer
        return result

    def generate(self, ops):
        inputs = [Tensor("%in_a", [4, 6]), Tensor("%in_b", [1, 3, 6, 5]), Tensor("%in_c", [2, 4, 6]),
                  Tensor("%in_d", [6]), Tensor("%in_e", [4, 6], {0})]
        self.values = list(inputs)
        makers = [self.elementwise] * 6 + [self.contraction] * 3 + [self.convolution] * 4 + [
            self.in_place, self.indexed, self.gather, self.reduction, self.reduction, self.last,
            self.transpose, self.transpose, self.spread, self.pad, self.reshape, self.reshape,
            self.slices, self.loop]
        made = []
        while len(made) < ops:
            value = self.random.choice(makers)()
            if value and 0 < math.prod(value.shape) < 4000:
                made.append(self.keep(value))
        results = [made[-1]] + self.random.sample(made[:-1], min(2, len(made) - 1))
        return inputs, results


def print_input(value):
    """A tensor of small numbers that depend on the place."""
    kinds = ", ".join('"parallel"' for _ in value.shape)
    arguments = "\n".join(f"    %i{d} = linalg.index {d} : index" for d in range(value.rank))
    print(f"  {value.name}e = tensor.empty() : {value.type}")
    print(f"  {value.name} = linalg.generic {{indexing_maps = [{affine(value.rank, identity(value.rank))}], iterator_types = [{kinds}]}} outs({value.name}e : {value.type}) {{\n  ^bb0(%o: i32):\n{arguments}")
    total = "%i0"
    for d in range(1, value.rank):
        print(f"    %t{d} = arith.muli {total}, %three : index\n    %s{d} = arith.addi %t{d}, %i{d} : index")
        total = "%%s%d" % d
    print(f"    %r = arith.remui {total}, %seven : index\n    %v = arith.index_cast %r : index to i32\n    linalg.yield %v : i32\n  }} -> {value.type}")


def main():
    program = Program(int(sys.argv[1]))
    inputs, results = program.generate(int(sys.argv[2]) if len(sys.argv) > 2 else 12)
    print("func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}")
    print("func.func @f(%s) -> (%s) {" % (", ".join(f"{v.name}: {v.type}" for v in inputs), ", ".join(v.type for v in results)))
    print("\n".join(program.lines))
    print("  return %s : %s\n}" % (", ".join(v.name for v in results), ", ".join(v.type for v in results)))
    print("func.func @main() {\n  %three = arith.constant 3 : index\n  %seven = arith.constant 7 : index")
    passed = []
    for value in inputs:
        static = Tensor(value.name, value.shape)
        print_input(static)
        passed.append(value.name)
        if value.unknown:
            print(f"  {value.name}c = tensor.cast {value.name} : {static.type} to {value.type}")
            passed[-1] += "c"
    types = ", ".join(v.type for v in results)
    print(f"  %r:{len(results)} = call @f({', '.join(passed)}) : ({', '.join(v.type for v in inputs)}) -> ({types})")
    for i, value in enumerate(results):
        print(f"  %u{i} = tensor.cast %r#{i} : {value.type} to tensor<*xi32>\n  call @printMemrefI32(%u{i}) : (tensor<*xi32>) -> ()")
    print("  return\n}")


if __name__ == "__main__":
    main()
