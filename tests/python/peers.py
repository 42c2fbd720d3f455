"""What the comparisons with other engines share: where model files are, how far two results are apart, the table."""

import importlib.util
import pathlib
import re

import numpy as np

ROOT_TAG = re.compile(rb"<\s*([A-Za-z_]\w*)")
NOT_ROOT = re.compile(rb"<\?.*?\?>|<!--.*?-->|<![^>]*>", re.DOTALL)


def files(package, suffix, root, under="."):
    """(package, path in it, path) of all files of an installed package whose root element is this."""
    (folder,) = importlib.util.find_spec(package).submodule_search_locations
    folder = pathlib.Path(folder)
    for path in sorted((folder / under).rglob("*" + suffix)):
        tag = ROOT_TAG.search(NOT_ROOT.sub(b"", path.read_bytes()))
        if tag and tag.group(1) == root:
            yield package, path.relative_to(folder).as_posix(), path


def error(ours, theirs, floor=1e-12):
    """max |ours - theirs| / max |theirs|: relative to the largest number of the whole quantity."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.shape != theirs.shape:
        return np.inf
    if ours.size == 0:
        return 0.0
    off = np.abs(ours - theirs).max() / max(np.abs(theirs).max(), floor)
    return off if np.isfinite(off) else np.inf


class Table:
    """One row for each file, written as Markdown at the end."""

    def __init__(self, title, intro):
        self.title, self.intro, self.rows = title, intro, {}

    def add(self, package, path, text, errors=None):
        self.rows[f"{package}/{path}"] = (text, errors or {})

    def write(self, file):
        worst = {}
        for name, (_, errors) in self.rows.items():
            for quantity, value in errors.items():
                worst[quantity] = max(worst.get(quantity, (0.0, "")), (value, name))
        compared = sum(1 for _, errors in self.rows.values() if errors)
        lines = [f"# {self.title}", "", self.intro, "", f"{compared} files compared of {len(self.rows)}.", ""]
        lines += ["| quantity | worst error | in |", "|---|---:|---|"]
        lines += [f"| {quantity} | {value:.1e} | {name} |" for quantity, (value, name) in worst.items()]
        lines += ["", "| file | worst error | |", "|---|---:|---|"]
        for name, (text, errors) in self.rows.items():
            most = f"{max(errors.values()):.1e}" if errors else ""
            lines.append(f"| {name} | {most} | {text} |")
        file.write_text("\n".join(lines) + "\n")
        return "\n".join(lines[: 8 + len(worst)])
