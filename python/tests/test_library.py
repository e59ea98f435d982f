# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Model over a library written in C, with the interface a compiled one has."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

from diffuse_mlir import Model, ModelFailure

CC = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(CC is None, reason="no C compiler")

# y[i] = scale * x[i] + w[0], for x of any length; needs a parameter file.
SOURCE = r"""
#include <stdint.h>
#include <stdlib.h>
typedef struct { void *data; const int64_t *extents; } tensor;
typedef struct { const char *file; const tensor *tensors; } parameters;
typedef struct { int bad; } handle;
int32_t diffuse_line_create(const parameters *p, const void *options, handle **h) {
  *h = calloc(1, sizeof(handle));
  (*h)->bad = !p || !p->file;
  return (*h)->bad ? 3 : 0;
}
int32_t diffuse_line_run(handle *h, const tensor *in, const tensor *out) {
  for (int64_t i = 0; i < in[0].extents[0]; ++i)
    ((float *)out[0].data)[i] = ((float *)in[0].data)[i] * *(float *)in[1].data + 1;
  *(int64_t *)out[1].data = in[0].extents[0];
  return 0;
}
int32_t diffuse_line_extents(handle *h, const tensor *in, int64_t *extents) {
  extents[0] = in[0].extents[0];
  return 0;
}
void diffuse_line_destroy(handle *h) { free(h); }
const char *diffuse_line_error(const handle *h) { return h->bad ? "parameter 'w' is missing" : ""; }
const char *diffuse_line_describe(void) { return DESCRIPTION; }
"""
DESCRIPTION = {"model": "line", "boundary": [
    {"kind": "input", "type": "f32", "extents": [-1], "name": "x"},
    {"kind": "parameter", "type": "f32", "extents": [1], "name": "w"},
    {"kind": "scalar", "type": "f32", "extents": [], "name": "scale"},
    {"kind": "destination", "type": "f32", "extents": [-1], "name": "y"},
    {"kind": "destination", "type": "i64", "extents": [], "name": "n"}]}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    text = json.dumps(json.dumps(DESCRIPTION))
    (folder / "line.c").write_text(SOURCE.replace("DESCRIPTION", text))
    subprocess.run([CC, "-shared", "-fPIC", "-o", folder / "line.so", folder / "line.c"], check=True)
    return folder / "line.so"


def test_inputs_scalars_and_results(library):
    model = Model(library, parameters="w.safetensors")
    x = np.arange(10, dtype=np.float32)[::2]  # not contiguous
    y, n = model(x, 2.0)
    np.testing.assert_array_equal(y, 2 * x + 1)
    assert n.shape == () and n == 5
    assert [a["name"] for a in model.inputs] == ["x", "scale"]


def test_two_instances_are_independent(library):
    one, other = Model(library, "w"), Model(library, "w")
    one.close()
    assert other(np.ones(1, np.float32), 1.0)[0][0] == 2


@pytest.mark.parametrize("arrays, error, message", [
    ((np.zeros(3, np.float32),), TypeError, "takes 2 inputs, 1 were given"),
    ((np.zeros((3, 1), np.float32), 1.0), ValueError, r"'x' has shape \(3, 1\), the model takes \?"),
    ((np.zeros(3), 1.0), ValueError, "'x' has elements of float64, the model takes float32"),
])
def test_wrong_inputs_are_named(library, arrays, error, message):
    with pytest.raises(error, match=message):
        Model(library, "w")(*arrays)


def test_the_librarys_message_is_handed_on(library):
    with pytest.raises(ModelFailure, match="parameter 'w' is missing"):
        Model(library)


def test_a_library_without_a_model_is_refused(tmp_path):
    (tmp_path / "e.c").write_text("int nothing;\n")
    subprocess.run([CC, "-shared", "-fPIC", "-o", tmp_path / "e.so", tmp_path / "e.c"], check=True)
    with pytest.raises(ModelFailure, match="holds no model"):
        Model(tmp_path / "e.so")


@pytest.mark.parametrize("share", [0, 0.001, 0.3, 0.9, 0.999])
def test_a_library_that_is_cut_short_is_refused(library, tmp_path, share):
    whole = library.read_bytes()
    (tmp_path / "line.so").write_bytes(whole[:int(len(whole) * share)])
    # In a process of its own: loading it may kill.
    code = ("import sys; from diffuse_mlir import Model, ModelFailure\n"
            "try: Model(sys.argv[1], 'w')\n"
            "except ModelFailure as failure: print(failure)")
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "line.so")], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[1])})
    assert done.returncode == 0, done
    assert ("is cut short" if share else "is no shared library") in done.stdout


def test_another_file_is_refused(tmp_path):
    (tmp_path / "x.so").write_text("module {}\n" * 100)
    with pytest.raises(ModelFailure, match="x.so is no shared library"):
        Model(tmp_path / "x.so")
    with pytest.raises(ModelFailure, match="No such file"):
        Model(tmp_path / "absent.so")
