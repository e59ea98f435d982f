# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a network as linalg on tensors, in the shape front ends give it.

What PyTorch and ONNX importers leave is imitated on purpose, so that the demo
shows what a user's own network goes through: padding as `tensor.pad`, the bias
broadcast into the convolution's init, ReLU as compare and select, the transpose
of the last layer's weight as an op of its own. Parameters are arguments that
carry `diffuse.parameter` with their name in the safetensors file.
"""
from .builder import Builder, Value


def tensor_type(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def _typed(*values):
    """'%a, %b : tensor<..>, tensor<..>'."""
    return (", ".join(v.name for v in values) + " : "
            + ", ".join(tensor_type(v.shape) for v in values))


def _pair(number):
    return f"dense<{number}> : tensor<2xi64>"


class LinalgBuilder(Builder):
    """`text()` is the module after `output()` was called."""

    def __init__(self, seed=0):
        super().__init__(seed)
        self._arguments, self._lines, self._count = [], [], 0
        self._result = None

    def text(self):
        result = tensor_type(self._result.shape)
        body = "\n".join("    " + line for line in self._lines)
        return (f"module {{\n  func.func @main({', '.join(self._arguments)}) -> {result} {{\n"
                '    %zero = arith.constant 0.000000e+00 : f32\n'
                '    %six = arith.constant 6.000000e+00 : f32\n'
                '    %lowest = arith.constant 0xFF800000 : f32\n'
                f"{body}\n    return {self._result.name} : {result}\n  }}\n}}\n")

    # -- arguments -----------------------------------------------------------

    def input(self, name, shape):
        value = Value(f"%{name}", tuple(shape))
        self._arguments.insert(0, f"{value.name}: {tensor_type(shape)}")
        return value

    def _parameter(self, name, array):
        value = Value(f"%p{len(self.parameters) - 1}", array.shape)
        self._arguments.append(
            f'{value.name}: {tensor_type(array.shape)} {{diffuse.parameter = "{name}"}}')
        return value

    def output(self, x):
        self._result = x

    # -- convolutions, pooling -----------------------------------------------

    def _conv(self, x, weight, bias, shape, stride, padding, groups):
        x = self._pad(x, padding, "%zero")
        init = self._new(shape, f"linalg.broadcast ins({_typed(bias)}) "
                         f"outs({_typed(self._empty(shape))}) dimensions = [0, 2, 3]")
        if groups == 1:
            op = "conv_2d_nchw_fchw"
        elif groups == x.shape[1] == shape[1]:
            op = "depthwise_conv_2d_nchw_chw"
            weight = self._collapse(weight, "[[0, 1], [2], [3]]", (shape[1], *weight.shape[2:]))
        else:
            raise NotImplementedError(f"a convolution of {groups} groups that is not depthwise")
        return self._windowed(op, x, weight, init, stride)

    def _max_pool(self, x, shape, kernel, stride, padding):
        x = self._pad(x, padding, "%lowest")
        return self._windowed("pooling_nchw_max", x, self._empty((kernel, kernel)),
                              self._fill(shape, "%lowest"), stride)

    def global_average(self, x):
        batch, channels, height, width = x.shape
        shape = (batch, channels, 1, 1)
        total = self._windowed("pooling_nchw_sum", x, self._empty((height, width)),
                               self._fill(shape, "%zero"), 1)
        count = self._new((), f"arith.constant {height * width:.6e} : f32")
        mean = self._elementwise([total], [f"%r = arith.divf %a, {count.name} : f32"])
        return self._collapse(mean, "[[0], [1, 2, 3]]", (batch, channels))

    def _windowed(self, op, x, window, init, stride):
        return self._new(init.shape, f"linalg.{op} {{dilations = {_pair(1)}, strides = {_pair(stride)}}} "
                         f"ins({_typed(x, window)}) outs({_typed(init)}) -> {tensor_type(init.shape)}")

    # -- matrices ------------------------------------------------------------

    def _linear(self, x, weight, bias, shape):
        transposed = weight.shape[::-1]
        weight = self._new(transposed, f"linalg.transpose ins({_typed(weight)}) "
                           f"outs({_typed(self._empty(transposed))}) permutation = [1, 0]")
        product = self._new(shape, f"linalg.matmul ins({_typed(x, weight)}) "
                            f"outs({_typed(self._fill(shape, '%zero'))}) -> {tensor_type(shape)}")
        return self._elementwise([product, bias], ["%r = arith.addf %a, %b : f32"])

    def flatten(self, x):
        batch, channels, height, width = x.shape
        return self._collapse(x, "[[0], [1, 2, 3]]", (batch, channels * height * width))

    # -- elementwise ---------------------------------------------------------

    def relu(self, x):
        return self._elementwise([x], ["%c = arith.cmpf ugt, %a, %zero : f32",
                                       "%r = arith.select %c, %a, %zero : f32"])

    def relu6(self, x):
        return self._elementwise([x], ["%c = arith.cmpf ult, %a, %zero : f32",
                                       "%s = arith.select %c, %zero, %a : f32",
                                       "%d = arith.cmpf ugt, %s, %six : f32",
                                       "%r = arith.select %d, %six, %s : f32"])

    def add(self, x, y):
        return self._elementwise([x, y], ["%r = arith.addf %a, %b : f32"])

    def _concat(self, values, shape):
        types = ", ".join(tensor_type(v.shape) for v in values)
        return self._new(shape, f"tensor.concat dim(1) {', '.join(v.name for v in values)} : "
                         f"({types}) -> {tensor_type(shape)}")

    def _elementwise(self, inputs, body):
        """A linalg.generic; `body` computes %r of %a (and %b). An input of rank 1
        walks the last dimension."""
        shape = inputs[0].shape
        loops = ", ".join(f"d{i}" for i in range(len(shape)))
        last = f"affine_map<({loops}) -> (d{len(shape) - 1})>"
        whole = f"affine_map<({loops}) -> ({loops})>"
        maps = [whole if len(v.shape) == len(shape) else last for v in inputs] + [whole]
        iterators = ", ".join(['"parallel"'] * len(shape))
        out = self._empty(shape)
        result = self._new(shape, f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
                           f"iterator_types = [{iterators}]}} ins({_typed(*inputs)}) outs({_typed(out)}) {{")
        names = ["%a", "%b"][:len(inputs)] + ["%o"]
        self._lines.append(f"^bb0({', '.join(n + ': f32' for n in names)}):")
        self._lines += ["  " + line for line in body]
        self._lines += ["  linalg.yield %r : f32", f"}} -> {tensor_type(shape)}"]
        return result

    # -- small pieces --------------------------------------------------------

    def _pad(self, x, amount, value):
        if amount == 0:
            return x
        batch, channels, height, width = x.shape
        shape = (batch, channels, height + 2 * amount, width + 2 * amount)
        sides = f"[0, 0, {amount}, {amount}]"
        result = self._new(shape, f"tensor.pad {x.name} low{sides} high{sides} {{")
        self._lines += ["^bb0(%i: index, %j: index, %k: index, %l: index):",
                        f"  tensor.yield {value} : f32",
                        f"}} : {tensor_type(x.shape)} to {tensor_type(shape)}"]
        return result

    def _collapse(self, x, groups, shape):
        return self._new(shape, f"tensor.collapse_shape {x.name} {groups} : "
                         f"{tensor_type(x.shape)} into {tensor_type(shape)}")

    def _fill(self, shape, value):
        return self._new(shape, f"linalg.fill ins({value} : f32) "
                         f"outs({_typed(self._empty(shape))}) -> {tensor_type(shape)}")

    def _empty(self, shape):
        return self._new(shape, f"tensor.empty() : {tensor_type(shape)}")

    def _new(self, shape, text):
        value = Value(f"%{self._count}", tuple(shape))
        self._count += 1
        self._lines.append(f"{value.name} = {text}")
        return value
