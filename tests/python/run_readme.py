"""Runs each Python example of README.md as it is written, in a process of its own, in an empty folder."""

import pathlib
import re
import subprocess
import sys
import tempfile

readme = pathlib.Path(__file__).resolve().parents[2] / "README.md"
examples = re.findall(r"^```python\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
if not examples:
    sys.exit("README.md has no Python example")
for example in examples:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", example], cwd=folder, check=True)
print(f"{len(examples)} Python example(s) of README.md ran as written")
