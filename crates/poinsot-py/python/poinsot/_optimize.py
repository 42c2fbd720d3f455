"""Motions that satisfy conditions at the least cost."""

from __future__ import annotations

import json
import math
from os import PathLike, fspath
from typing import Any, Mapping, Union

from ._poinsot import Motion, _optimize


def _plain(x: Any) -> Any:
    """JSON has no infinities: words replace them. Arrays become lists."""
    if isinstance(x, Mapping):
        return {str(key): _plain(value) for key, value in x.items()}
    if hasattr(x, "tolist"):
        return _plain(x.tolist())
    if isinstance(x, (list, tuple)):
        return [_plain(value) for value in x]
    if isinstance(x, float) and math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return x


def optimize(problem: Union[str, PathLike[str], Mapping[str, Any]]) -> Motion:
    """Finds the motion that satisfies conditions at the least cost: spacetime constraints.

    problem: the path of a problem file (TOML, or JSON with the same keys), or a dict with these keys; docs/optimize.md has all of them.
    ValueError says what is wrong with the problem; a motion that cannot be found is no error: look at `status` and `violated`.

        motion = poinsot.optimize({
            "system": {"kind": "particle", "mass": 1.0},
            "time": {"duration": 1.0},
            "at": [{"time": "start", "q": 0, "v": 0}, {"time": "end", "q": 1, "v": 0}],
            "minimize": [{"term": "effort"}],
        })
        motion.cost  # 12
    """
    if isinstance(problem, Mapping):
        return _optimize(None, json.dumps(_plain(problem)))
    return _optimize(fspath(problem), None)
