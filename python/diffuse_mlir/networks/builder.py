# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a network is described with, independent of what is written.

A network is a function that calls the methods of a `Builder`. The builder
infers shapes and draws parameters; a subclass writes: `LinalgBuilder` MLIR
text, `OnnxBuilder` an ONNX graph. So both outputs are the same network with the
same weights by construction, and a comparison with another runtime is fair.
"""
import abc
import dataclasses
import math
import zlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor in the network: the writer's name for it, and its extents."""
    name: str
    shape: tuple


class Builder(abc.ABC):
    """Shapes and parameters; f32, NCHW, batch as the input has it.

    `parameters` maps names to arrays in order of first use. Each array depends
    on (seed, name, shape) alone, so adding a layer leaves the others' weights.
    """

    def __init__(self, seed=0):
        self.seed = seed
        self.parameters = {}

    # -- what a network calls ------------------------------------------------

    @abc.abstractmethod
    def input(self, name, shape):
        """The network's data argument."""

    def conv(self, x, name, channels, kernel, stride=1, padding=None, groups=1, gain=2.0):
        """A convolution with bias and square window; `padding` defaults to the
        one that keeps the extents at stride 1. `gain` scales the variance."""
        padding = kernel // 2 if padding is None else padding
        batch, inputs, height, width = x.shape
        if inputs % groups or channels % groups:
            raise ValueError(f"{name}: {groups} groups divide not both {inputs} and {channels}")
        fan_in = inputs // groups * kernel * kernel
        weight = self.normal(f"{name}.weight", (channels, inputs // groups, kernel, kernel),
                              math.sqrt(gain / fan_in))
        bias = self.normal(f"{name}.bias", (channels,), 0.02)
        extent = lambda n: (n + 2 * padding - kernel) // stride + 1
        shape = (batch, channels, extent(height), extent(width))
        return self._conv(x, weight, bias, shape, stride, padding, groups)

    def linear(self, x, name, features):
        """x times the transposed weight, plus bias; x has rank 2."""
        weight = self.normal(f"{name}.weight", (features, x.shape[1]), math.sqrt(1 / x.shape[1]))
        bias = self.normal(f"{name}.bias", (features,), 0.02)
        return self._linear(x, weight, bias, (x.shape[0], features))

    def max_pool(self, x, kernel, stride, padding=0):
        batch, channels, height, width = x.shape
        extent = lambda n: (n + 2 * padding - kernel) // stride + 1
        shape = (batch, channels, extent(height), extent(width))
        return self._max_pool(x, shape, kernel, stride, padding)

    def concat(self, *values):
        """Joins along the channels."""
        first = values[0].shape
        shape = (first[0], sum(v.shape[1] for v in values), *first[2:])
        return self._concat(values, shape)

    @abc.abstractmethod
    def relu(self, x):
        """max(x, 0)."""

    @abc.abstractmethod
    def relu6(self, x):
        """min(max(x, 0), 6)."""

    @abc.abstractmethod
    def add(self, x, y):
        """x + y of equal shapes."""

    @abc.abstractmethod
    def global_average(self, x):
        """The mean over the image: [n, c, h, w] to [n, c]."""

    @abc.abstractmethod
    def flatten(self, x):
        """[n, c, h, w] to [n, c * h * w]."""

    @abc.abstractmethod
    def output(self, x):
        """Names the network's result."""

    # -- what a writer fills in ----------------------------------------------

    @abc.abstractmethod
    def _conv(self, x, weight, bias, shape, stride, padding, groups):
        pass

    @abc.abstractmethod
    def _linear(self, x, weight, bias, shape):
        pass

    @abc.abstractmethod
    def _max_pool(self, x, shape, kernel, stride, padding):
        pass

    @abc.abstractmethod
    def _concat(self, values, shape):
        pass

    @abc.abstractmethod
    def _parameter(self, name, array):
        """Makes the parameter known to the writer; returns its Value."""

    # -- parameters ----------------------------------------------------------

    def normal(self, name, shape, deviation):
        """A parameter drawn from a normal distribution around 0."""
        return self._draw(name, shape, lambda r: r.standard_normal(shape, np.float32) * np.float32(deviation))

    def uniform(self, name, shape, low, high):
        """A parameter drawn evenly between two bounds."""
        return self._draw(name, shape, lambda r: r.uniform(low, high, shape).astype(np.float32))

    def _draw(self, name, shape, draw):
        if name in self.parameters:
            raise ValueError(f"parameter {name!r} is used twice")
        generator = np.random.default_rng([self.seed, zlib.crc32(name.encode())])
        self.parameters[name] = draw(generator)
        return self._parameter(name, self.parameters[name])
