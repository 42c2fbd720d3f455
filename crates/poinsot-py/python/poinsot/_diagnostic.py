"""Diagnostics of a model file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Diagnostic:
    """A message about a file and its place: line and column count from 1."""

    severity: str
    """"note", "warning" or "error"."""
    code: str
    """A stable code for the kind of problem, such as "mjcf::unknown-attribute"."""
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    help: Optional[str] = None
    """What to do."""

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        advice = "" if self.help is None else f"\n  help: {self.help}"
        return f"{place}{self.severity}[{self.code}]: {self.message}{advice}"
