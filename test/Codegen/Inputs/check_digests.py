# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the code made of a fixed corpus against the codegen number.

    check_digests.py NUMBER CORPUS [--update]

Compiles every module of the folder CORPUS with the schedules it carries and
compares digests of the LLVM IR that goes to the backend, which another LLVM may
change too, with those in CORPUS/digests.json. Exits 1 where a digest differs
under the same number and the same LLVM: a record made before no longer speaks of
the code made now, so the number must be raised. --update writes the file anew,
and refuses to while the number is the old one.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys


def compile_module(path):
    command = ["diffuse-compile", str(path), "--target=cpu:x86-64-v3", "--emit=llvm", "-o", "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def llvm_version():
    text = subprocess.run(["diffuse-compile", "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"LLVM ([0-9.]+)", text).group(1)


def main():
    number, corpus = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    table = corpus / "digests.json"
    known = json.loads(table.read_text()) if table.exists() else {"codegen": 0, "llvm": "", "digests": {}}
    digests = {path.stem: hashlib.sha256(compile_module(path)).hexdigest() for path in sorted(corpus.glob("*.mlir"))}
    differing = [name for name, digest in digests.items() if known["digests"].get(name) != digest]
    same_keys = number == known["codegen"] and llvm_version() == known["llvm"]
    if "--update" in sys.argv:
        if differing and same_keys:
            sys.exit("the code differs: raise kCodegenNumber (include/Diffuse/Codegen/CodegenOptions.h) first")
        fresh = {"codegen": number, "llvm": llvm_version(), "digests": digests}
        table.write_text(json.dumps(fresh, indent=2) + "\n")
        return
    if llvm_version() != known["llvm"]:
        print(f"not compared: LLVM {llvm_version()}, digests of {known['llvm']}")
    elif number != known["codegen"]:
        sys.exit(f"digests.json is of codegen number {known['codegen']}, not {number}: run with --update")
    elif differing:
        sys.exit("other code under the same codegen number: " + ", ".join(differing) +
                 "; raise kCodegenNumber and run with --update")
    else:
        print(f"{len(digests)} modules as before")


if __name__ == "__main__":
    main()
