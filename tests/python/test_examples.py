"""Every Python example runs, in an empty folder."""

import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = sorted((pathlib.Path(__file__).resolve().parents[2] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.stem for e in EXAMPLES])
def test_example(example, tmp_path):
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    command = [sys.executable, "-W", "ignore", str(example)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout


def test_there_are_all():
    assert len(EXAMPLES) == 10
