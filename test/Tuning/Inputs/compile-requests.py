# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints requests to a compile server, whose libraries go below a folder."""
import json
import sys

FUNCTION = """
func.func private @f(%x: tensor<8xf32>, %d: tensor<8xf32> {diffuse.destination}) -> tensor<8xf32> {
  %r = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %m = bufferization.materialize_in_destination %r in %d : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
"""
# More than what is printed through may hold back.
PRINTING = (
    """module attributes {transform.with_named_sequence} {
transform.named_sequence @s__tensor(%f: !transform.any_op {transform.readonly}) {
"""
    + "transform.print %f : !transform.any_op\n" * 100
    + """transform.yield
}
}"""
)
folder = sys.argv[1]


def compile_to(path, schedule=""):
    return {"compile": "h", "schedule": schedule, "sequence": "s__tensor", "library": folder + path}


requests = [
    {"options": {"target": "host", "numerics": "default"}},
    {"subgraph": "h", "text": FUNCTION, "function": "f"},
    compile_to("/good.so"),
    compile_to("/no/such/folder/bad.so"),
    compile_to("/bad.so", "this is no MLIR"),
    {"compile": "unknown", "schedule": "", "sequence": "", "library": folder + "/bad.so"},
    compile_to("/printed.so", PRINTING),
]
for number, request in enumerate(requests, 7):
    print(json.dumps(dict(request, request=number)))
print(json.dumps(requests[0]))
