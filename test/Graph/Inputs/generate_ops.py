# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a function of about N linalg ops: layers of a matmul, a bias and a
ReLU, whose inits all share one fill and one empty tensor. With `distinct` as
second argument, the limit of each ReLU is its own, and so is each layer."""

import sys

MAP = "affine_map<(d0, d1) -> (%s)>"
ELEMENTWISE = (
    "  %%%s = linalg.generic {indexing_maps = [%s], "
    'iterator_types = ["parallel", "parallel"]} '
    "ins(%s) outs(%%e : tensor<8x8xf32>) {\n"
)


def print_layer(number, before, limit):
    """One matmul, bias and ReLU: three ops."""
    print(
        f"  %m{number} = linalg.matmul ins({before}, %w : tensor<8x8xf32>, "
        f"tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>"
    )
    identity, row = MAP % "d0, d1", MAP % "d1"
    print(
        ELEMENTWISE
        % (
            f"b{number}",
            f"{identity}, {row}, {identity}",
            f"%m{number}, %bias : tensor<8x8xf32>, tensor<8xf32>",
        )
        + "  ^bb0(%x: f32, %y: f32, %o: f32):\n"
        + "    %s = arith.addf %x, %y : f32\n    linalg.yield %s : f32\n"
        + "  } -> tensor<8x8xf32>"
    )
    print(
        ELEMENTWISE % (f"r{number}", f"{identity}, {identity}", f"%b{number} : tensor<8x8xf32>")
        + "  ^bb0(%x: f32, %o: f32):\n"
        + f"    %s = arith.maximumf %x, {limit} : f32\n    linalg.yield %s : f32\n"
        + "  } -> tensor<8x8xf32>"
    )


def main():
    layers = max(1, int(sys.argv[1]) // 3)
    print(
        "func.func @main(%input: tensor<8x8xf32>, %w: tensor<8x8xf32> "
        "{diffuse.parameter}, %bias: tensor<8xf32> {diffuse.parameter}) "
        "-> tensor<8x8xf32> {"
    )
    print("  %z = arith.constant 0.0 : f32")
    print("  %e = tensor.empty() : tensor<8x8xf32>")
    print("  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>")
    before = "%input"
    for number in range(layers):
        limit = "%z"
        if "distinct" in sys.argv[2:]:
            limit = f"%z{number}"
            print(f"  {limit} = arith.constant {number}.5 : f32")
        print_layer(number, before, limit)
        before = f"%r{number}"
    print(f"  return {before} : tensor<8x8xf32>\n}}")


if __name__ == "__main__":
    main()
