# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints exit statuses, which lit's `not` folds into one: of the command line
that follows the tool, else of some that are wrong."""
import subprocess
import sys

WRONG = {
    "no command": [],
    "no line": ["reproduce", "file"],
    "absent file": ["stat", "/absent/file"],
}
given = sys.argv[2:]
for name, arguments in ({"given": given} if given else WRONG).items():
    run = subprocess.run([sys.argv[1], *arguments], capture_output=True, check=False)
    print(f"{name}: {run.returncode}")
