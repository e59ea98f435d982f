# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random networks in which named patterns are, and what is nearly one, cut with
the patterns joined and without, and compares what they give, bit by bit. A second
cut must change nothing.

    compare_patterns.py FIRST_SEED LAST_SEED [FOLDER]

What a seed leaves in FOLDER is kept.
"""

import collections
import math
import re
import sys

from ir_text import affine, identity
from random_network import Network
from seeds import for_each_seed, run

PATTERNS = ["attention", "depthwise_pointwise", "gated_mlp"]
JOINED = re.compile(r"func private @subgraph_\d+_(%s)\w*\(" % "|".join(PATTERNS))
# Exponentials round, so their order has to stay what it is.
PLAIN_LOOPS = ["--schedules=none", "--opt-level=1", "--numerics=strict", "--layouts=plain"]
CUT = "diffuse-outline-subgraphs{patterns=%s}"
PACK = "diffuse-pack-layouts{target=cpu:x86-64-v3 always}"


class PatternNetwork(Network):
    def elementwise(self, a, text):
        body = [text.replace("TYPE", self.element)]
        return self.bounded(self.parallel([a], [identity(a.rank)], a, body), a.bound + 1)

    def read(self, value):
        """Sometimes somebody else reads what stands between two stages."""
        if self.chance(0.1):
            self.values.append(value)
        return value

    def separable(self):
        a = self.depthwise()
        if not a:
            return None
        a = self.read(a)
        if self.chance(0.5):
            a = self.read(self.elementwise(a, f"%s = arith.maximumf %p, {self.constant('0.0')} : TYPE"))
        a = self.exact(a)
        if self.chance(0.1):
            a = self.padded(a)
        filters = self.random.choice([4, 8, 16, 24, 5])
        w = self.weights([filters, a.shape[1], 1, 1])
        init = self.start([a.shape[0], filters, *a.shape[2:]])
        bound = a.bound * w.bound * a.shape[1] + init.bound
        made = self.bounded(self.named("linalg.conv_2d_nchw_fchw", [a, w], init), bound)
        same = [v for v in self.values if v.shape == made.shape]
        if same and self.chance(0.6):
            b = self.random.choice(same)
            body = [f"%s = arith.addf %p, %q : {self.element}"]
            made = self.parallel([made, b], [identity(4)] * 2, made, body)
            self.bounded(made, bound + b.bound)
        return self.padded(made) if self.chance(0.3) else made

    def gated(self):
        x = self.exact(self.pick_rows())
        columns = self.random.choice([4, 16, 7])
        gate = self.read(self.multiplied(x, columns))
        if self.chance(0.5):
            gate = self.read(self.exact(gate))
        up = self.multiplied(x, columns)
        operands = [gate, self.exact(up)]
        self.random.shuffle(operands)
        body = [f"%s = arith.mulf %p, %q : {self.element}"]
        made = self.parallel(operands, [identity(2)] * 2, gate, body)
        made = self.read(self.exact(self.bounded(made, math.prod(v.bound for v in operands))))
        return self.multiplied(made, self.random.choice([4, 16])) if self.chance(0.6) else made

    def rows_of(self, heads, rows, columns):
        return self.argument([heads, rows, columns], self.inputs, -2, 2)

    def reduced(self, a, op, start):
        init = self.fill(a.shape[:2], start)
        body = [f"%s = arith.{op} %p, %o : {self.element}", f"linalg.yield %s : {self.element}"]
        maps = [identity(3), affine(3, ["d0", "d1"])]
        return self.generic(maps, ["parallel", "parallel", "reduction"], [a], init, body)

    def with_rows(self, a, rows, *body):
        maps = [identity(3), affine(3, ["d0", "d1"])]
        return self.parallel([a, rows], maps, a, [line.replace("TYPE", self.element) for line in body])

    def attention(self):
        heads, rows, columns, depth = (self.random.choice(c) for c in ([1, 2, 3], [1, 4, 9], [5, 8], [3, 8]))
        q, k, v = (self.rows_of(heads, n, depth) for n in (rows, columns, columns))
        maps = [affine(4, dims) for dims in (["d0", "d1", "d3"], ["d0", "d2", "d3"], ["d0", "d1", "d2"])]
        body = [f"%m = arith.mulf %p, %q : {self.element}", f"%s = arith.addf %o, %m : {self.element}"]
        body += [f"linalg.yield %s : {self.element}"]
        kinds = ["parallel"] * 3 + ["reduction"]
        s = self.generic(maps, kinds, [q, k], self.fill([heads, rows, columns], "0.0"), body)
        s = self.read(self.bounded(s, 0))
        if self.chance(0.6):
            half = self.constant("0.5")
            s = self.elementwise(s, f"%s = arith.mulf %p, {half} : TYPE")
        if self.chance(0.5):
            mask = self.argument([rows, columns], self.inputs, -1, 1)
            body = [f"%s = arith.addf %p, %q : {self.element}"]
            s = self.parallel([s, mask], [identity(3), affine(3, ["d1", "d2"])], s, body)
        least = self.reduced(s, "maximumf", "-1000.0")
        e = self.with_rows(s, least, "%d = arith.subf %p, %q : TYPE", "%s = math.exp %d : TYPE")
        total = self.reduced(e, "addf", "0.0")
        late = self.chance(0.4)
        p = e if late else self.with_rows(e, total, "%s = arith.divf %p, %q : TYPE")
        maps = [affine(4, dims) for dims in (["d0", "d1", "d3"], ["d0", "d3", "d2"], ["d0", "d1", "d2"])]
        body = [f"%m = arith.mulf %p, %q : {self.element}", f"%s = arith.addf %o, %m : {self.element}"]
        body += [f"linalg.yield %s : {self.element}"]
        made = self.generic(maps, kinds, [p, v], self.fill([heads, rows, depth], "0.0"), body)
        if late:
            made = self.with_rows(made, total, "%s = arith.divf %p, %q : TYPE")
        return self.bounded(made, 0)

    def generate(self, ops):
        batch, side = self.random.choice([1, 1, 2]), self.random.choice([[7, 7], [8, 8], [9, 6]])
        for channels in [8, 16]:
            self.values.append(self.argument([batch, channels, *side], self.inputs, -4, 4))
        kinds = [self.separable] * 4 + [self.gated] * 2 + [self.attention] * 2 + [self.convolution, self.relu]
        made = []
        while len(made) < ops:
            value = self.random.choice(kinds)()
            if value and math.prod(value.shape) < 20000:
                self.values.append(value)
                made.append(value)
        return made


def cut(source, *steps):
    return run(["diffuse-opt", source, f"--pass-pipeline=builtin.module({','.join(steps)})"])


def compare(seed, folder):
    network = PatternNetwork(seed)
    results = network.generate(network.random.randrange(3, 9))
    source = folder / "network.mlir"
    source.write_text(network.text(results))
    data = network.write_data(folder)
    pack = [PACK] if seed % 2 else []
    apart, joined = folder / "apart.mlir", folder / "joined.mlir"
    apart.write_text(cut(source, *pack, CUT % "never"))
    joined.write_text(cut(source, *pack, CUT % "always"))
    if not pack and cut(joined, CUT % "always") != joined.read_text():
        sys.exit(f"seed {seed}: cutting twice changes the module")
    run(["diffuse-run", apart, *PLAIN_LOOPS, *data, f"--output={folder}/expected"])
    data += [f"--expected={folder}/expected{i}.npy" for i in range(len(results))]
    run(["diffuse-run", joined, *PLAIN_LOOPS, *data, "--rtol=0", "--atol=0"])
    return JOINED.findall(joined.read_text())


def main():
    found = collections.Counter(name for names in for_each_seed(compare) for name in names)
    print(dict(found))
    if set(found) != set(PATTERNS):
        sys.exit("a pattern is in no network")


if __name__ == "__main__":
    main()
