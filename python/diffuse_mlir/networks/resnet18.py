# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-18 for 224 x 224 images, batch normalisation folded into the weights.

The architecture and the parameters' names are torchvision's; the weights are
random with a fixed seed, scaled so that values neither overflow nor vanish.
"""


def resnet18(builder):
    """Describes the network to `builder`: [1, 3, 224, 224] to [1, 1000]."""
    x = builder.input("input", (1, 3, 224, 224))
    x = builder.relu(builder.conv(x, "conv1", 64, kernel=7, stride=2))
    x = builder.max_pool(x, kernel=3, stride=2, padding=1)
    for stage, (channels, stride) in enumerate([(64, 1), (128, 2), (256, 2), (512, 2)], start=1):
        x = _block(builder, x, f"layer{stage}.0", channels, stride)
        x = _block(builder, x, f"layer{stage}.1", channels, 1)
    builder.output(builder.linear(builder.global_average(x), "fc", 1000))


def _block(builder, x, name, channels, stride):
    """Two 3 x 3 convolutions around a shortcut, projected where shapes differ."""
    y = builder.relu(builder.conv(x, f"{name}.conv1", channels, kernel=3, stride=stride))
    # The sum with the shortcut would double the variance at each block.
    y = builder.conv(y, f"{name}.conv2", channels, kernel=3, gain=0.5)
    if x.shape != y.shape:
        x = builder.conv(x, f"{name}.downsample.0", channels, kernel=1, stride=stride, gain=1)
    return builder.relu(builder.add(y, x))
