# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints exit statuses, which lit's `not` folds into one."""
import subprocess
import sys

for name, arguments in {
    "no command": [],
    "reproduce": ["reproduce", "file:1"],
    "absent file": ["stat", "/absent/file"],
}.items():
    run = subprocess.run([sys.argv[1], *arguments], capture_output=True, check=False)
    print(f"{name}: {run.returncode}")
