# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how many different candidates of each sketch a record file holds, and
of which sketches it holds the text."""
import json
import sys

candidates, texts = {}, set()
with open(sys.argv[1]) as file:
    for record in map(json.loads, file):
        if record["kind"] == "sketch":
            texts.add(record["name"])
        elif record["kind"] == "measurement":
            known = candidates.setdefault(record["sketch"], set())
            known.add((record["exact_hash"], json.dumps(record["choices"], sort_keys=True)))
for name, known in sorted(candidates.items()):
    print(name, len(known))
print("texts:", *sorted(texts))
