# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program and prints its exit status behind what it says."""
import subprocess
import sys

print("status", subprocess.run(sys.argv[1:]).returncode)
