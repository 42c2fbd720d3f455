"""Runs each Python example of README.md, of the book and of the other pages as it is written, in a process of its own, in an
empty folder."""

import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
ran = 0
for page in [root / "README.md", *sorted(root.glob("docs/*.md")), *sorted(root.glob("docs/book/*.md"))]:
    for example in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        print(f"an example of {page.relative_to(root)}")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", example], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        ran += 1
if ran < 5:
    sys.exit(f"only {ran} Python examples were found")
print(f"{ran} Python examples ran as written")
