# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks of the Bayesian code diffusion paper, and ResNet-50, for ONNX
Runtime: batch 1, f32, random weights.

Each is a function of an `OnnxBuilder`. The order in which parameters are first
used is that of the same networks as linalg text written by a front end, where
argument k + 1 is parameter k; `compare.py` relies on it. Where only convolution,
pooling, ReLU, sums and the last layer occur, `LinalgBuilder` writes them too.
"""
import math

import numpy as np

from diffuse_mlir.networks import resnet18

IMAGE = (1, 3, 224, 224)


def vgg(builder, repeats, classes_softmax=False):
    x = builder.input("input", IMAGE)
    for stage, (channels, count) in enumerate(zip((64, 128, 256, 512, 512), repeats), start=1):
        for k in range(count):
            x = builder.relu(builder.conv(x, f"conv{stage}_{k + 1}", channels, 3))
        x = builder.max_pool(x, kernel=2, stride=2)
    x = builder.flatten(x)
    for name in ("fc6", "fc7"):
        x = builder.relu(builder.linear(x, name, 4096))
    x = builder.linear(x, "fc8", 1000)
    builder.output(softmax(builder, x) if classes_softmax else x)


def vgg16(builder):
    vgg(builder, (2, 2, 3, 3, 3))


def vgg19(builder):
    vgg(builder, (2, 2, 4, 4, 4), classes_softmax=True)


def mobilenet(builder):
    x = builder.relu(builder.conv(builder.input("input", IMAGE), "conv", 32, 3, stride=2))
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    for k, (channels, stride) in enumerate(blocks):
        x = builder.relu(builder.conv(x, f"depthwise{k}", x.shape[1], 3, stride, groups=x.shape[1]))
        x = builder.relu(builder.conv(x, f"pointwise{k}", channels, 1))
    builder.output(builder.linear(builder.global_average(x), "fc", 1000))


def mobilenet_v2(builder):
    x = builder.relu6(builder.conv(builder.input("input", IMAGE), "conv", 32, 3, stride=2))
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for stage, (expand, channels, count, stride) in enumerate(stages):
        for k in range(count):
            x = _inverted_residual(builder, x, f"block{stage}.{k}", expand, channels, stride if k == 0 else 1)
    x = builder.relu6(builder.conv(x, "head", 1280, 1))
    builder.output(builder.linear(builder.global_average(x), "fc", 1000))


def _inverted_residual(builder, x, name, expand, channels, stride):
    hidden = x.shape[1] * expand
    y = builder.relu6(builder.conv(x, f"{name}.expand", hidden, 1)) if expand != 1 else x
    y = builder.relu6(builder.conv(y, f"{name}.depthwise", hidden, 3, stride, groups=hidden))
    y = builder.conv(y, f"{name}.project", channels, 1, gain=1)
    return builder.add(x, y) if x.shape == y.shape else y


def squeezenet(builder):
    x = builder.relu(builder.conv(builder.input("input", IMAGE), "conv1", 64, 3, stride=2, padding=0))
    fires = [(16, 64), (16, 64), None, (32, 128), (32, 128), None, (48, 192), (48, 192), (64, 256), (64, 256)]
    x = builder.max_pool(x, kernel=3, stride=2)
    for k, fire in enumerate(fires, start=2):
        if fire is None:
            x = builder.max_pool(x, kernel=3, stride=2)
            continue
        squeeze, expand = fire
        x = builder.relu(builder.conv(x, f"fire{k}.squeeze", squeeze, 1))
        x = builder.concat(builder.relu(builder.conv(x, f"fire{k}.expand1", expand, 1)),
                           builder.relu(builder.conv(x, f"fire{k}.expand3", expand, 3)))
    x = builder.relu(builder.conv(x, "conv10", 1000, 1))
    x = builder.op("GlobalAveragePool", [x], (1, 1000, 1, 1))
    builder.output(softmax(builder, x))


# -- networks that need operators of ONNX -------------------------------------

def softmax(builder, x, axis=1):
    return builder.op("Softmax", [x], x.shape, axis=axis)


def silu(builder, x):
    return builder.op("Mul", [x, builder.op("Sigmoid", [x], x.shape)], x.shape)


def conv_bn(builder, x, name, channels, kernel, stride=1, scale=(0.5, 1.5)):
    """A convolution without bias, then an unfolded batch normalisation whose
    scale is drawn between two bounds."""
    pad, fan_in = kernel // 2, x.shape[1] * kernel * kernel
    weight = builder.normal(f"{name}.weight", (channels, x.shape[1], kernel, kernel), math.sqrt(2 / fan_in))
    extent = (x.shape[2] + 2 * pad - kernel) // stride + 1
    shape = (1, channels, extent, extent)
    y = builder.op("Conv", [x, weight], shape, kernel_shape=[kernel] * 2, strides=[stride] * 2,
                   pads=[pad] * 4)
    vectors = [builder.uniform(f"{name}.scale", (channels,), *scale),
               builder.normal(f"{name}.shift", (channels,), 0.02),
               builder.normal(f"{name}.mean", (channels,), 0.02),
               builder.uniform(f"{name}.variance", (channels,), 0.5, 1.5)]
    return builder.op("BatchNormalization", [y, *vectors], shape, epsilon=1e-5)


def resnet18_bn(builder):
    x = builder.relu(conv_bn(builder, builder.input("input", IMAGE), "conv1", 64, 7, 2))
    x = builder.max_pool(x, kernel=3, stride=2, padding=1)
    for stage, (channels, stride) in enumerate([(64, 1), (128, 2), (256, 2), (512, 2)], start=1):
        for block, step in enumerate((stride, 1)):
            name = f"layer{stage}.{block}"
            y = builder.relu(conv_bn(builder, x, f"{name}.conv1", channels, 3, step))
            y = conv_bn(builder, y, f"{name}.conv2", channels, 3)
            if x.shape != y.shape:
                x = conv_bn(builder, x, f"{name}.downsample", channels, 1, step)
            x = builder.relu(builder.add(y, x))
    builder.output(builder.linear(builder.global_average(x), "fc", 1000))


def resnet50(builder):
    x = builder.relu(conv_bn(builder, builder.input("input", IMAGE), "conv1", 64, 7, 2))
    x = builder.max_pool(x, kernel=3, stride=2, padding=1)
    for stage, (width, count) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)], start=1):
        for block in range(count):
            name, stride = f"layer{stage}.{block}", 2 if stage > 1 and block == 0 else 1
            y = builder.relu(conv_bn(builder, x, f"{name}.conv1", width, 1))
            y = builder.relu(conv_bn(builder, y, f"{name}.conv2", width, 3, stride))
            # Small, so that sixteen blocks do not drive the softmax to 0 and 1.
            y = conv_bn(builder, y, f"{name}.conv3", 4 * width, 1, scale=(0.1, 0.3))
            if block == 0:
                x = conv_bn(builder, x, f"{name}.downsample", 4 * width, 1, stride)
            x = builder.relu(builder.add(y, x))
    x = builder.linear(builder.global_average(x), "fc", 1000)
    builder.output(softmax(builder, x))


def efficientnet_b0(builder):
    x = silu(builder, builder.conv(builder.input("input", IMAGE), "stem", 32, 3, stride=2))
    stages = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
              (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]
    for stage, (expand, channels, count, stride, kernel) in enumerate(stages):
        for k in range(count):
            x = _mbconv(builder, x, f"block{stage}.{k}", expand, channels, stride if k == 0 else 1, kernel)
    x = silu(builder, builder.conv(x, "head", 1280, 1))
    builder.output(builder.linear(builder.global_average(x), "fc", 1000))


def _mbconv(builder, x, name, expand, channels, stride, kernel):
    hidden, squeezed = x.shape[1] * expand, max(1, x.shape[1] // 4)
    y = silu(builder, builder.conv(x, f"{name}.expand", hidden, 1)) if expand != 1 else x
    y = silu(builder, builder.conv(y, f"{name}.depthwise", hidden, kernel, stride, groups=hidden))
    z = builder.op("GlobalAveragePool", [y], (1, hidden, 1, 1))
    z = silu(builder, builder.conv(z, f"{name}.squeeze", squeezed, 1))
    z = builder.conv(z, f"{name}.excite", hidden, 1)
    y = builder.op("Mul", [y, builder.op("Sigmoid", [z], z.shape)], y.shape)
    y = builder.conv(y, f"{name}.project", channels, 1)
    return builder.add(x, y) if x.shape == y.shape else y


def bert_base(builder, layers=12, hidden=768, heads=12, length=128, inner=3072):
    """The encoder from embeddings on, without a mask."""
    depth = hidden // heads
    split = builder.constant(np.array([1, length, heads, depth], np.int64))
    merge = builder.constant(np.array([1, length, hidden], np.int64))
    scale = builder.constant(np.float32(math.sqrt(depth)))
    root_two, one, half = (builder.constant(np.float32(v)) for v in (math.sqrt(2), 1, 0.5))
    tokens = (1, length, hidden)

    def dense(x, name, features):
        weight = builder.normal(f"{name}.weight", (x.shape[-1], features), math.sqrt(1 / x.shape[-1]))
        bias = builder.normal(f"{name}.bias", (features,), 0.02)
        shape = (*x.shape[:-1], features)
        return builder.op("Add", [builder.op("MatMul", [x, weight], shape), bias], shape)

    def norm(x, name):
        scale = builder.uniform(f"{name}.weight", (hidden,), 0.8, 1.2)
        return builder.op("LayerNormalization", [x, scale, builder.normal(f"{name}.bias", (hidden,), 0.1)],
                          tokens, axis=-1, epsilon=1e-12)

    def head(x, name, order):
        x = builder.op("Reshape", [dense(x, name, hidden), split], split.shape)
        return builder.op("Transpose", [x], (), perm=order)

    x = norm(builder.input("input", tokens), "embeddings")
    for k in range(layers):
        name = f"layer{k}"
        query, key, value = (head(x, f"{name}.{n}", p) for n, p in
                             (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])))
        scores = builder.op("Div", [builder.op("MatMul", [query, key], ()), scale], ())
        mixed = builder.op("MatMul", [softmax(builder, scores, axis=-1), value], ())
        mixed = builder.op("Transpose", [mixed], (), perm=[0, 2, 1, 3])
        mixed = builder.op("Reshape", [mixed, merge], tokens)
        x = norm(builder.add(dense(mixed, f"{name}.output", hidden), x), f"{name}.norm1")
        y = dense(x, f"{name}.inner", inner)
        erf = builder.op("Erf", [builder.op("Div", [y, root_two], y.shape)], y.shape)
        gelu = builder.op("Mul", [y, builder.op("Add", [erf, one], y.shape)], y.shape)
        gelu = builder.op("Mul", [gelu, half], y.shape)
        x = norm(builder.add(dense(gelu, f"{name}.outer", hidden), x), f"{name}.norm2")
    builder.output(x)


NETWORKS = {f.__name__: f for f in (
    resnet18, resnet18_bn, resnet50, vgg16, vgg19, squeezenet, mobilenet, mobilenet_v2,
    efficientnet_b0, bert_base)}
