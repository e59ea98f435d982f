// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule that was applied leaves no anchor, or several. Whatever comes
// after takes the subgraph as it is.
//
// RUN: diffuse-tune %S/../Tuning/Inputs/two-matmuls.mlir --layouts=plain --budget=0 --records=none --progress=none -o %t.tuned.mlir
// RUN: diffuse-opt %t.tuned.mlir --diffuse-apply-schedules --diffuse-verify-module -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: diffuse-opt %t.mlir --diffuse-hash-subgraphs --diffuse-cluster-subgraphs --diffuse-verify-module | FileCheck %s --check-prefix=CLUSTER
// RUN: diffuse-run %t.mlir --check | FileCheck %s --check-prefix=ANSWER
// RUN: diffuse-compile %t.mlir --on-unscheduled=error -o %t.so
// RUN: diffuse-tune %t.mlir --budget=2 --measurer=fake --records=none --progress=none -o %t.again.mlir
// RUN: diffuse-run %t.again.mlir --check | FileCheck %s --check-prefix=ANSWER
// RUN: diffuse-opt %t.mlir --diffuse-lower-to-llvm -o /dev/null
//
// CHECK:     diffuse.applied
// CLUSTER-NOT: diffuse.cluster
// CLUSTER: diffuse.applied
// CLUSTER-NOT: diffuse.cluster
// ANSWER: answers agree
