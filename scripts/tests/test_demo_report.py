# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""demo-report.py on rigged results."""
import json
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "demo-report.py"
SUMMARY = {"default_us": 60000, "tuned_us": 40000, "untuned_us": None, "seconds": 60.2, "measurements": 512}


def report(tmp_path, ok):
    run = {"min_us": 39000, "median_us": 41000, "check": {"ok": ok, "max_rel_error": 2e-6}}
    (tmp_path / "s.json").write_text(json.dumps(SUMMARY))
    (tmp_path / "r.json").write_text(json.dumps(run))
    return subprocess.run([sys.executable, SCRIPT, "--summary", tmp_path / "s.json", "--run",
                           tmp_path / "r.json"], capture_output=True, text=True)


def test_the_gain_is_shown(tmp_path):
    done = report(tmp_path, ok=True)
    assert done.returncode == 0, done.stderr
    assert "40.00 ms   1.50x the default's speed" in done.stdout
    assert "agrees" in done.stdout and "512 measurements" in done.stdout


def test_a_wrong_answer_is_a_failure(tmp_path):
    done = report(tmp_path, ok=False)
    assert done.returncode == 3 and "DIFFERS" in done.stdout
