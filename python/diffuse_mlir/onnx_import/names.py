# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of an ONNX graph's values: who uses them, and how to give others.

A value is known by its name alone, so two that come to share one are one. Every
name that is made here is held against all that the graph and its subgraphs have.
"""
import re

from onnx import helper


def subgraphs(node):
    """The graphs in the attributes of If, Loop and Scan."""
    for attribute in node.attribute:
        yield from [attribute.g] if attribute.type == attribute.GRAPH else attribute.graphs


def nodes_of(graph):
    """The nodes of a graph and of the subgraphs in it."""
    for node in graph.node:
        yield node
        for inner in subgraphs(node):
            yield from nodes_of(inner)


def used_by(node):
    """What a node reads: its operands, then what its subgraphs take from around
    them. Operands that are left out are empty names."""
    yield from node.input
    for graph in subgraphs(node):
        inside = {v.name for v in [*graph.input, *graph.initializer]}
        inside.update(name for inner in graph.node for name in inner.output)
        for inner in graph.node:
            yield from (name for name in used_by(inner) if name not in inside)
        yield from (o.name for o in graph.output if o.name not in inside)


def names_of(graph):
    """Every name of a value in a graph and in the subgraphs in it."""
    found = {v.name for v in [*graph.input, *graph.output, *graph.initializer, *graph.value_info]}
    for node in graph.node:
        found.update([*node.input, *node.output])
        for inner in subgraphs(node):
            found |= names_of(inner)
    return found


def fresh(name, taken):
    """`name`, or it and a number, so that it is not among `taken`; adds it."""
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name}_{number}"
    taken.add(made)
    return made


def rename(graph, new):
    """Gives values the names that `new` has for theirs, in subgraphs as well."""
    for value in [*graph.input, *graph.output, *graph.initializer, *graph.value_info]:
        value.name = new.get(value.name, value.name)
    for node in graph.node:
        for names in (node.input, node.output):
            for k, name in enumerate(names):
                if name in new:
                    names[k] = new[name]
        for inner in subgraphs(node):
            rename(inner, new)


def make_safe(graph):
    """torch-mlir names resources after initializers, and MLIR takes fewer letters
    there; the function is named after the graph."""
    graph.name = "main"
    taken, new = names_of(graph), {}
    for initializer in graph.initializer:
        safe = re.sub(r"[^A-Za-z0-9_]", "_", initializer.name)
        safe = safe if re.match(r"[A-Za-z_]", safe) else f"_{safe}"
        if safe != initializer.name:
            new[initializer.name] = fresh(safe, taken)
    rename(graph, new)


def give_outputs_nodes(graph):
    """Every output becomes the result of a node and is listed once: one that is an
    input, a constant or listed before gets an Identity, under a name of its own."""
    results = {name for node in graph.node for name in node.output}
    taken = names_of(graph)
    for output in graph.output:
        if output.name in results:
            results.remove(output.name)
            continue
        source, output.name = output.name, fresh(output.name, taken)
        graph.node.append(helper.make_node("Identity", [source], [output.name]))
