/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls a compiled model from C. The library needs nothing of MLIR.
 *
 *   diffuse-compile examples/matmul-relu.mlir --emit=so -o matmul_relu.so
 *   cc -Iinclude examples/call_model.c ./matmul_relu.so -o call_model
 *   ./call_model
 */
#include "Diffuse/Codegen/diffuse_model.h"

#include <stdio.h>
#include <stdlib.h>

/* The model is called after the file of its library. */
DIFFUSE_DECLARE_MODEL(matmul_relu);

enum { ROWS = 128, INNER = 768, COLUMNS = 3072 };

static float *filled(size_t count, float value) {
  float *data = malloc(count * sizeof(float));
  for (size_t i = 0; data && i < count; ++i)
    data[i] = value;
  return data;
}

int main(void) {
  float *x = filled(ROWS * INNER, 1);
  float *y = filled(ROWS * COLUMNS, 0);
  /* Parameters in the order of the description; they may also come from a
   * safetensors file. They must outlive the handle. */
  diffuse_tensor weights[] = {{filled(INNER * COLUMNS, 0.5f), NULL},
                              {filled(COLUMNS, 1), NULL}};
  diffuse_parameters parameters = {NULL, weights};
  if (!x || !y || !weights[0].data || !weights[1].data)
    return 1;

  diffuse_handle *handle;
  diffuse_tensor input = {x, NULL}, output = {y, NULL};
  if (diffuse_matmul_relu_create(&parameters, NULL, &handle) != DIFFUSE_OK ||
      diffuse_matmul_relu_run(handle, &input, &output) != DIFFUSE_OK) {
    fprintf(stderr, "error: %s\n", diffuse_matmul_relu_error(handle));
    diffuse_matmul_relu_destroy(handle);
    return 1;
  }
  /* 768 * 1 * 0.5 + 1 */
  printf("%g\n", y[0]);
  diffuse_matmul_relu_destroy(handle);
  free(x), free(y), free(weights[0].data), free(weights[1].data);
  return 0;
}
