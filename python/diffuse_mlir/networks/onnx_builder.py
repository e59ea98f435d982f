# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a network as an ONNX graph, so that other runtimes can run it.

Needs the `onnx` package, which nothing else in this folder does.
"""
import numpy as np
import onnx
from onnx import helper, numpy_helper

from .builder import Builder, Value

OPSET, IR_VERSION = 17, 8


class OnnxBuilder(Builder):
    """`model()` is the checked model after `output()` was called."""

    def __init__(self, seed=0):
        super().__init__(seed)
        self._nodes, self._initializers, self._inputs, self._outputs = [], [], [], []

    def model(self):
        graph = helper.make_graph(self._nodes, "main", self._inputs, self._outputs,
                                  self._initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)],
                                  ir_version=IR_VERSION)
        onnx.checker.check_model(model)
        return model

    def input(self, name, shape):
        self._inputs.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape))
        return Value(name, tuple(shape))

    def output(self, x):
        self._outputs.append(helper.make_tensor_value_info(x.name, onnx.TensorProto.FLOAT, x.shape))

    def constant(self, array):
        """A constant that is no parameter: a scalar, a shape."""
        name = f"constant_{len(self._initializers)}"
        self._initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return Value(name, np.shape(array))

    def op(self, kind, inputs, shape, **attributes):
        """Any operator with one result."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, [v.name for v in inputs], [name],
                                            name=name, **attributes))
        return Value(name, tuple(shape))

    def _parameter(self, name, array):
        self._initializers.append(numpy_helper.from_array(array, name))
        return Value(name, array.shape)

    def _conv(self, x, weight, bias, shape, stride, padding, groups):
        return self.op("Conv", [x, weight, bias], shape, kernel_shape=list(weight.shape[2:]),
                       strides=[stride] * 2, pads=[padding] * 4, dilations=[1, 1], group=groups)

    def _max_pool(self, x, shape, kernel, stride, padding):
        return self.op("MaxPool", [x], shape, kernel_shape=[kernel] * 2,
                       strides=[stride] * 2, pads=[padding] * 4)

    def _linear(self, x, weight, bias, shape):
        return self.op("Gemm", [x, weight, bias], shape, transB=1)

    def _concat(self, values, shape):
        return self.op("Concat", values, shape, axis=1)

    def global_average(self, x):
        mean = self.op("GlobalAveragePool", [x], (*x.shape[:2], 1, 1))
        return self.flatten(mean)

    def flatten(self, x):
        return self.op("Flatten", [x], (x.shape[0], int(np.prod(x.shape[1:]))), axis=1)

    def relu(self, x):
        return self.op("Relu", [x], x.shape)

    def relu6(self, x):
        low, high = self.constant(np.float32(0)), self.constant(np.float32(6))
        return self.op("Clip", [x, low, high], x.shape)

    def add(self, x, y):
        return self.op("Add", [x, y], x.shape)
