# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The readers that the other integration tests stand on."""
import harness

PRINTED = """Unranked Memref base@ = 0x55d rank = 2 offset = 0 sizes = [2, 2] strides = [2, 1] data = 
[[226,   -2.5e-01], 
 [nan,   inf]]
Unranked Memref base@ = 0x77f rank = 0 offset = 0 sizes = [] strides = [] data = 
[281674]
Unranked Memref base@ = 0x7f rank = 1 offset = 3 sizes = [2] strides = [1] data = 
[(1,-2),   (-9,12)]
"""


def test_printed_memrefs_are_read():
    found = harness.parse_memrefs(PRINTED)
    assert [sizes for sizes, _ in found] == [(2, 2), (), (2,)]
    assert found[0][1][:2] == [226, -0.25] and str(found[0][1][2:]) == "[nan, inf]"
    assert found[1][1] == [281674]
    assert found[2][1] == [(1, -2), (-9, 12)]


def test_reference_outputs_are_read_from_comments(tmp_path):
    file = tmp_path / "case.mlir"
    file.write_text("// REF-OUTPUT (stock loops):\n//   rank = 1 offset = 0 sizes = [3] strides = [1]"
                    " data = \n//   [10,  10,  10]\n{-# 7 #-}\n")
    assert harness.reference_output(file) == [((3,), [10, 10, 10])]
    file.write_text("// nothing\n")
    assert harness.reference_output(file) is None


def test_functions_are_told_apart():
    text = ('module {\n  func.func private @a(%x: f32) attributes {diffuse.subgraph, '
            'diffuse.exact_hash = "12ab", diffuse.calls = 3 : i64} {\n    return\n  }\n'
            '  func.func @"b c"() {\n    return\n  }\n}\n')
    assert set(harness.functions(text)) == {"a", "b c"}
    assert set(harness.subgraphs(text)) == {"a"}
    assert harness.attribute(harness.functions(text)["a"], "exact_hash") == "12ab"
    assert harness.attribute(harness.functions(text)["a"], "calls") == "3"
