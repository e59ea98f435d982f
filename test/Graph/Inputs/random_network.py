# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a random network, in NCHW and of matrices, as linalg on tensors, with its
data.

Data are small integers and every value has a known bound, so sums are exact in
any order and two forms of the network can be compared bit by bit.
"""

import json
import math
import random

import numpy

from ir_text import Tensor, Writer, affine, identity, names, types

CHANNELS = [3, 4, 8, 12, 16, 24, 32, 40, 48, 5, 7]
COLUMNS = [4, 16, 24, 32, 7, 48]
# Up to here every integer has its own float, with room for one more sum.
EXACT = {"f32": 2**22, "f64": 2**50}
NUMPY = {"f32": numpy.float32, "f64": numpy.float64}
IMAGE = ["d0", "d1", "d2", "d3"]


class Network(Writer):
    """Each method adds an op and returns its value, or None where no value of
    the network fits."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        super().__init__(self.random.choice(["f32", "f32", "f32", "f64"]))
        self.data = numpy.random.default_rng(seed)
        self.inputs, self.parameters, self.values = [], [], []

    # -- values ---------------------------------------------------------------

    def chance(self, share):
        return self.random.random() < share

    def bounded(self, value, bound):
        value.bound = bound
        return value

    def pick(self, accepts=lambda value: True):
        """Late values are taken more often: long chains, some branches."""
        found = [v for v in self.values if v.rank == 4 and accepts(v)]
        back = min(int(self.random.expovariate(0.5)), len(found) - 1)
        return found[-1 - back] if found else None

    def argument(self, shape, group, low, high):
        name = f"%{'w' if group is self.parameters else 'in'}{len(group)}"
        value = Tensor(name, shape, (), self.element)
        value.numbers = self.data.integers(low, high + 1, shape).astype(NUMPY[self.element])
        group.append(value)
        return self.bounded(value, max(abs(low), abs(high)))

    def weights(self, shape):
        """Filters: an argument, shared with another op, computed ahead of all runs, a
        constant, or data of the run."""
        shared = [w for w in self.parameters if w.shape == list(shape)]
        if shared and self.chance(0.3):
            return self.random.choice(shared)
        if self.chance(0.07):
            return self.argument(shape, self.inputs, -1, 1)
        if math.prod(shape) < 100 and self.chance(0.3):
            numbers = self.data.integers(-1, 2, shape).astype(float).tolist()
            return self.bounded(self.define(shape, (), f"arith.constant dense<{numbers}> : RESULT"), 1)
        made = self.argument(shape, self.parameters, -1, 1)
        if self.chance(0.1):
            body = [f"%s = arith.mulf %p, {self.constant('2.0')} : {self.element}"]
            return self.bounded(self.parallel([made], [identity(made.rank)], made, body), 2)
        return made

    def exact(self, value):
        """The value, or what is left of it where sums of it might round."""
        return value if value.bound <= EXACT[self.element] // 2**10 else self.remainder(value)

    def remainder(self, value):
        element = self.element
        body = [
            f"%i = arith.fptosi %p : {element} to i32",
            "%k = arith.constant 7 : i32",
            "%m = arith.remsi %i, %k : i32",
            f"%s = arith.sitofp %m : i32 to {element}",
        ]
        return self.bounded(self.parallel([value], [identity(value.rank)], value, body), 6)

    def parallel(self, inputs, maps, like, body):
        body = body + [f"linalg.yield %s : {self.element}"]
        kinds = ["parallel"] * like.rank
        maps = maps + [identity(like.rank)]
        return self.generic(maps, kinds, inputs, self.empty(like.shape), body)

    def start(self, shape):
        """Where sums start: a constant, a row of biases, or data."""
        kind = self.random.choice(["zero", "zero", "bias", "bias", "data"])
        if kind == "data":
            found = [v for v in self.values if v.shape == shape]
            if found:
                return self.random.choice(found)
        if kind == "bias":
            row = self.argument(shape[1:2], self.parameters, -3, 3)
            body = ["linalg.yield %p : " + self.element]
            rank = len(shape)
            maps = [affine(rank, ["d1"]), identity(rank)]
            made = self.generic(maps, ["parallel"] * rank, [row], self.empty(shape), body)
            return self.bounded(made, 3)
        return self.bounded(self.fill(shape, "0.0"), 0)

    # -- ops ------------------------------------------------------------------

    def padded(self, a, fill="0.0", at_least=0):
        low = [0, 0, *(at_least + self.random.randrange(3) for _ in range(2))]
        high = [0, 0, *(at_least + self.random.randrange(3) for _ in range(2))]
        shape = [sum(parts) for parts in zip(a.shape, low, high)]
        constant, inside = self.constant(fill), ""
        if self.chance(0.2):
            constant, inside = "%c", f"    %c = arith.constant {fill} : {self.element}\n"
        region = (
            "{\n  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):\n"
            f"{inside}    tensor.yield {constant} : {self.element}\n  }}"
        )
        text = f"tensor.pad {a.name} low{low} high{high} {region} : {a.type} to RESULT"
        return self.bounded(self.define(shape, (), text), max(a.bound, abs(float(fill))))

    def pad(self):
        a = self.pick(lambda v: max(v.shape[2:]) < 12)
        return a and self.padded(a, self.random.choice(["0.0", "2.0"]))

    def window(self, a, largest):
        """Extents of a window, strides and dilations that fit, or None."""
        for _ in range(10):
            extents = [self.random.choice([1, 1, 2, 3, 3, 5]) for _ in range(2)]
            if self.chance(0.7):
                extents[1] = extents[0]
            strides = [self.random.choice([1, 1, 2])] * 2
            if self.chance(0.1):
                strides = [1, 2]
            dilations = [self.random.choice([1, 1, 1, 2])] * 2
            reach = [(k - 1) * d + 1 for k, d in zip(extents, dilations)]
            image = [(n - r) // s + 1 for n, r, s in zip(a.shape[2:], reach, strides)]
            if math.prod(extents) <= largest and all(r <= n for r, n in zip(reach, a.shape[2:])):
                return extents, image, (
                    f"{{dilations = dense<{dilations}> : tensor<2xi64>, "
                    f"strides = dense<{strides}> : tensor<2xi64>}} "
                )
        return None

    def convolution(self):
        a = self.pick()
        a = self.exact(self.padded(a) if self.chance(0.4) and max(a.shape[2:]) < 12 else a)
        found = self.window(a, 25)
        if not found:
            return None
        extents, image, attributes = found
        filters = self.random.choice(CHANNELS)
        w = self.weights([filters, a.shape[1], *extents])
        init = self.start([a.shape[0], filters, *image])
        bound = a.bound * w.bound * math.prod(w.shape[1:]) + init.bound
        return self.bounded(self.named("linalg.conv_2d_nchw_fchw", [a, w], init, attributes), bound)

    def depthwise(self):
        a = self.exact(self.pick())
        found = self.window(a, 25)
        if not found:
            return None
        extents, image, attributes = found
        w = self.weights([a.shape[1], *extents])
        init = self.start([*a.shape[:2], *image])
        bound = a.bound * w.bound * math.prod(extents) + init.bound
        op = "linalg.depthwise_conv_2d_nchw_chw"
        return self.bounded(self.named(op, [a, w], init, attributes), bound)

    def pooling(self):
        a = self.exact(self.pick())
        kind, fill = self.random.choice([("max", "-1000.0"), ("max", "-1000.0"), ("sum", "0.0")])
        if self.chance(0.3):
            a = self.padded(a, fill)
        found = self.window(a, 25)
        if not found:
            return None
        extents, image, attributes = found
        init = self.fill([*a.shape[:2], *image], fill)
        bound = max(1000, a.bound * (math.prod(extents) if kind == "sum" else 1))
        op = f"linalg.pooling_nchw_{kind}"
        return self.bounded(self.named(op, [a, self.empty(extents)], init, attributes), bound)

    def relu(self):
        a, zero = self.pick(), self.constant("0.0")
        body = [f"%s = arith.maximumf %p, {zero} : {self.element}"]
        return self.bounded(self.parallel([a], [identity(4)], a, body), a.bound)

    def residual(self):
        a = self.pick()
        b = self.pick(lambda v: v.shape == a.shape)
        body = [f"%s = arith.{self.random.choice(['addf', 'subf'])} %p, %q : {self.element}"]
        return self.bounded(self.parallel([a, b], [identity(4)] * 2, a, body), a.bound + b.bound)

    def scale(self):
        """By a parameter for each channel."""
        a = self.exact(self.pick())
        op, bound = self.random.choice([("mulf", 3 * a.bound), ("addf", a.bound + 3)])
        row, index = self.random.choice([(a.shape[1:2], ["d1"]), ([1, a.shape[1], 1, 1], ["0", "d1", "0", "0"])])
        w = self.argument(row, self.parameters, -3, 3)
        body = [f"%s = arith.{op} %p, %q : {self.element}"]
        return self.bounded(self.parallel([a, w], [identity(4), affine(4, index)], a, body), bound)

    def gate(self):
        """By a value of one pixel."""
        a = self.exact(self.pick(lambda v: v.shape[2:] != [1, 1]) or self.values[0])
        b = self.pick(lambda v: v.shape == [*a.shape[:2], 1, 1])
        if not b:
            b = self.global_sum(a)
        b = self.exact(b)
        body = [f"%s = arith.mulf %p, %q : {self.element}"]
        maps = [identity(4), affine(4, ["d0", "d1", "0", "0"])]
        return self.bounded(self.parallel([a, b], maps, a, body), a.bound * b.bound)

    def concat(self):
        a = self.pick()
        dim = self.random.choice([1, 1, 1, 1, 2, 0])

        def fits(v):
            return [n for d, n in enumerate(v.shape) if d != dim] == [n for d, n in enumerate(a.shape) if d != dim]

        parts = [a] + [self.pick(fits) for _ in range(self.random.choice([1, 1, 2]))]
        shape = list(a.shape)
        shape[dim] = sum(v.shape[dim] for v in parts)
        if shape[1] > 96 or shape[0] > 4 or shape[2] > 24:
            return None
        if self.chance(0.3):
            return self.insertions(parts, shape, dim)
        text = f"tensor.concat dim({dim}) {names(parts)} : ({types(parts)}) -> RESULT"
        return self.bounded(self.define(shape, (), text), max(v.bound for v in parts))

    def insertions(self, parts, shape, dim):
        """A concatenation as older front ends write it."""
        whole, offsets = self.empty(shape), [0] * 4
        for part in parts:
            text = f"tensor.insert_slice {part.name} into {whole.name}{offsets} {part.shape} [1, 1, 1, 1]"
            whole = self.define(shape, (), f"{text} : {part.type} into RESULT")
            offsets[dim] += part.shape[dim]
        return self.bounded(whole, max(v.bound for v in parts))

    def reduce(self, a, kept, shape):
        """Sums over the dimensions that are not kept."""
        kinds = ["parallel" if d in kept else "reduction" for d in range(4)]
        maps = [identity(4), affine(4, ["d%d" % d for d in kept])]
        body = [f"%s = arith.addf %o, %p : {self.element}", f"linalg.yield %s : {self.element}"]
        made = self.generic(maps, kinds, [a], self.fill(shape, "0.0"), body)
        return self.bounded(made, a.bound * math.prod(a.shape))

    def global_sum(self, a):
        """[n, c, 1, 1], by one of the ways that front ends write it."""
        a = self.exact(a)
        shape = [*a.shape[:2], 1, 1]
        if self.chance(0.5):
            flat = self.reduce(a, [0, 1], shape[:2])
            text = f"tensor.expand_shape {flat.name} [[0], [1, 2, 3]] output_shape {shape} : {flat.type} into RESULT"
            made = self.define(shape, (), text)
        else:
            made = self.named(
                "linalg.pooling_nchw_sum", [a, self.empty(a.shape[2:])], self.fill(shape, "0.0"),
                "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ",
            )
        return self.bounded(made, a.bound * math.prod(a.shape))

    def pool_all(self):
        return self.global_sum(self.pick())

    def plain_reader(self):
        """What is no image, or reads one that is plain."""
        a = self.exact(self.pick())
        kind = self.random.choice(["channels", "flat", "last", "rows", "slice", "vector"])
        n, c, h, w = a.shape
        if kind == "channels":
            return self.reduce(a, [0, 2, 3], [n, h, w])
        if kind == "flat":
            text = f"tensor.collapse_shape {a.name} [[0], [1, 2, 3]] : {a.type} into RESULT"
            return self.bounded(self.define([n, c * h * w], (), text), a.bound)
        if kind == "rows":
            return self.reduce(a, [0, 1, 2], [n, c, h])
        if kind == "vector":
            return self.reduce(a, [0, 1], [n, c])
        if kind == "slice":
            shape = [n, (c + 1) // 2, h, w]
            text = f"tensor.extract_slice {a.name}[0, 0, 0, 0] {shape} [1, 1, 1, 1] : {a.type} to RESULT"
            return self.bounded(self.define(shape, (), text), a.bound)
        init = self.empty([n, h, w, c])
        operands = f"ins({a.name} : {a.type}) outs({init.name} : {init.type})"
        return self.bounded(
            self.define(init.shape, (), f"linalg.transpose {operands} permutation = [0, 2, 3, 1]"), a.bound)

    # -- matrices -------------------------------------------------------------

    def pick_rows(self):
        """A matrix of few columns; a new input where there is none, or by chance."""
        found = [v for v in self.values if v.rank == 2 and v.shape[1] <= 64]
        if found and self.chance(0.7):
            return self.random.choice(found)
        return self.argument([self.random.randrange(1, 10), self.random.choice(COLUMNS)], self.inputs, -4, 4)

    def multiplied(self, a, columns):
        """The product of `a` and a parameter, which is [k][n] or [n][k]."""
        depth, maps = a.shape[1], ""
        w = self.weights([depth, columns])
        if self.chance(0.5):
            w = self.weights([columns, depth])
            lists = [["d0", "d2"], ["d1", "d2"], ["d0", "d1"]]
            maps = f"indexing_maps = [{', '.join(affine(3, dims) for dims in lists)}] "
        init = self.start([a.shape[0], columns])
        bound = a.bound * w.bound * depth + init.bound
        return self.bounded(self.named("linalg.matmul", [a, w], init, maps), bound)

    def followed(self, a):
        """Some op that reads `a` in its order."""
        kind = self.random.choice(["relu", "bias", "residual", "column"])
        if kind == "relu":
            body = [f"%s = arith.maximumf %p, {self.constant('0.0')} : {self.element}"]
            return self.bounded(self.parallel([a], [identity(2)], a, body), a.bound)
        shape, index = a.shape, ["d0", "d1"]
        if kind == "bias":
            shape, index = a.shape[1:], ["d1"]
        elif kind == "column":
            shape, index = a.shape[:1], ["d0"]
        group = self.random.choice([self.inputs, self.parameters])
        same = [v for v in self.values if v.shape == shape]
        b = self.random.choice(same) if same and self.chance(0.7) else self.argument(shape, group, -3, 3)
        operands, maps = [a, b], [identity(2), affine(2, index)]
        if self.chance(0.3):
            operands, maps = operands[::-1], maps[::-1]
        body = [f"%s = arith.{self.random.choice(['addf', 'subf'])} %p, %q : {self.element}"]
        return self.bounded(self.parallel(operands, maps, a, body), a.bound + b.bound)

    def product(self):
        """With ops behind it; any of these may have other readers."""
        a = self.exact(self.pick_rows())
        made = self.multiplied(a, self.random.choice(COLUMNS))
        for _ in range(self.random.choice([0, 1, 1, 2, 3])):
            if self.chance(0.3):
                self.values.append(made)
            made = self.followed(made)
        return made

    def loop(self):
        """The same parameter, or one made inside, in each of a few rounds."""
        a = self.exact(self.pick_rows())
        carried = Tensor(self.name(), a.shape, (), self.element)
        self.bounded(carried, max(a.bound, 6))
        first, last, step = (self.constant(n, "index") for n in (0, self.random.randrange(4), 1))
        result = Tensor(self.name(), a.shape, (), self.element)
        self.emit(
            f"{result.name} = scf.for {self.name()} = {first} to {last} step {step} "
            f"iter_args({carried.name} = {a.name}) -> ({a.type}) {{")
        made = self.multiplied(carried, a.shape[1])
        if self.chance(0.5):
            made = self.followed(made)
        made = self.remainder(made)
        self.emit(f"scf.yield {made.name} : {made.type}\n  }}")
        return self.bounded(result, carried.bound)

    # -- the whole ------------------------------------------------------------

    def generate(self, ops):
        batch = self.random.choice([1, 1, 1, 2])
        side = self.random.choice([[7, 7], [8, 8], [9, 6], [12, 12], [1, 1]])
        for channels in [self.random.choice([3, 16, 24]), self.random.choice(CHANNELS)]:
            self.values.append(self.argument([batch, channels, *side], self.inputs, -4, 4))
        kinds = [self.convolution] * 6 + [self.relu, self.residual, self.scale, self.pooling] * 2
        kinds += [self.depthwise, self.concat, self.gate] * 2 + [self.pad, self.pool_all, self.plain_reader]
        matrices = [self.product] * 3 + [self.loop]
        kinds = matrices if self.chance(0.3) else kinds + matrices
        made = []
        while len(made) < ops:
            value = self.random.choice(kinds if made or kinds is matrices else [self.convolution])()
            if value and math.prod(value.shape) < 20000:
                self.values.append(value)
                made.append(value)
        read = " ".join(line.split(" = ", 1)[-1] for line in self.lines)
        unread = [v for v in made if v.name + " " not in read and v.name + "," not in read and v.name + ")" not in read]
        others = [v for v in made if v not in unread]
        return unread + self.random.sample(others, min(len(others), self.random.randrange(3)))

    def text(self, results):
        marked = [f'{v.name}: {v.type} {{diffuse.parameter = "{v.name[1:]}"}}' for v in self.parameters]
        arguments = ", ".join([f"{v.name}: {v.type}" for v in self.inputs] + marked)
        body = "\n".join(self.lines)
        return (
            f"func.func @main({arguments}) -> ({types(results)}) {{\n{body}\n"
            f"  return {names(results)} : {types(results)}\n}}\n"
        )

    def write_data(self, folder):
        """Files and the options of diffuse-run that name them."""
        options = []
        for value in self.inputs:
            numpy.save(folder / f"{value.name[1:]}.npy", value.numbers)
            options.append(f"--input={folder / value.name[1:]}.npy")
        if self.parameters:
            write_safetensors(folder / "data.safetensors", self.parameters)
            options.append(f"--parameters={folder / 'data.safetensors'}")
        return options


def write_safetensors(path, values):
    header, end = {}, 0
    for value in values:
        begin, end = end, end + value.numbers.nbytes
        header[value.name[1:]] = {
            "dtype": value.element.upper(), "shape": value.shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(numpy.ascontiguousarray(value.numbers).tobytes() for value in values)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
