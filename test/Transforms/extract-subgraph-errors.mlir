// RUN: diffuse-opt %s --split-input-file --verify-diagnostics --diffuse-extract-subgraph=name=nobody
// RUN: not diffuse-opt %s --diffuse-extract-subgraph 2>&1 | FileCheck %s

// CHECK: error: the option 'name' is empty; it names the subgraph to keep

// expected-error @+2 {{no subgraph named 'nobody'}}
// expected-note @+1 {{subgraphs are:}}
module {
}
