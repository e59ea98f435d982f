# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lib-install.sh with a dpkg-query and an apt-get that only pretend."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
APT_GET = """#!/bin/sh
echo "apt-get $*" >> "$LOG"
case "$*" in
  *-s*) echo 'Inst cmake (1)'; echo 'Inst libuv1 (1)'; echo 'Remv libomp-14-dev [1]'; echo 'Conf cmake (1)' ;;
esac
"""
APT_CACHE = """#!/bin/sh
[ "$UNKNOWN" = "$2" ] || printf '%s:\\n  Installed: (none)\\n  Candidate: 1.0\\n' "$2"
"""
DPKG_QUERY = """#!/bin/sh
for name; do :; done
case " $PRESENT " in *" $name "*|*" all "*) printf 'install ok installed,' ;; *) exit 1 ;; esac
"""
ID = "#!/bin/sh\necho ${FAKE_UID:-0}\n"


@pytest.fixture
def install(tmp_path):
    """Runs diffuse_install build under rigged programs: (status, out, err, log)."""
    for name, text in [("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg-query", DPKG_QUERY), ("id", ID)]:
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    scripts = tmp_path / "root" / "scripts"
    scripts.mkdir(parents=True)
    (scripts / "packages.txt").write_text("# comment\ncmake build reason\nninja-build build\nlibgtest-dev test\n")

    def run(**environment):
        log = tmp_path / "log"
        log.write_text("")
        done = subprocess.run(
            ["bash", "-c", f". {ROOT}/scripts/lib-install.sh; diffuse_install build"],
            capture_output=True, text=True,
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(log),
                 "DIFFUSE_ROOT": str(tmp_path / "root"), **environment})
        return done.returncode, done.stdout, done.stderr, log.read_text()
    return run


def test_nothing_is_done_where_all_is_there(install):
    status, out, _, log = install(PRESENT="all")
    assert status == 0 and log == ""
    assert "apt would install and remove nothing" in out


def test_what_is_missing_is_announced_and_installed(install):
    status, out, _, log = install(PRESENT="ninja-build")
    assert status == 0
    assert "apt would install (2): cmake libuv1" in out
    assert "apt would remove (1): libomp-14-dev" in out
    assert log.splitlines()[-1] == "apt-get install -q -y --no-install-recommends cmake"
    assert "libgtest-dev" not in log, "test packages were not asked for"


@pytest.mark.parametrize("environment", [{"FAKE_UID": "1000"}, {"DIFFUSE_NO_INSTALL": "1"}])
def test_without_leave_nothing_is_installed(install, environment):
    status, out, err, log = install(PRESENT="ninja-build", **environment)
    assert status == 1
    assert "not installed: cmake" in err
    assert all("-s" in line.split() for line in log.splitlines()), "only simulated"
    assert "apt would install" in out


def test_unknown_packages_are_explained(install):
    status, _, err, _ = install(UNKNOWN="cmake")
    assert status == 1
    assert "apt does not know: cmake" in err and "bookworm-security" in err
