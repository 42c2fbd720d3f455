"""Energies given as Python functions: each is called once, with symbols, and becomes the formula of a Lagrangian."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._poinsot import Lagrangian

# NumPy's name, and that of formulas
_UNARY = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "exp": "exp",
    "log": "ln",
    "sqrt": "sqrt",
}
_BINARY = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "^"}
# characters: what is used again is written again
_LONGEST = 200_000


class Symbol:
    """A symbolic number: operations on it are recorded as a formula."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise ValueError("the formula is too long; give it as text, or in parts as atoms")
        self.text = text

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Any:
        if any(isinstance(x, np.ndarray) and x.ndim for x in inputs) and method == "__call__":
            # an array and a symbol: number by number
            return np.vectorize(lambda *x: ufunc(*x), otypes=[object])(*(_boxed(x) for x in inputs))
        name = ufunc.__name__
        if method == "__call__" and name in _UNARY:
            return Symbol(f"{_UNARY[name]}({_text(inputs[0])})")
        if method == "__call__" and name in _BINARY:
            return _joined(_BINARY[name], *inputs)
        if method == "__call__" and name == "arctan2":
            return Symbol(f"atan2({_text(inputs[0])}, {_text(inputs[1])})")
        if method == "__call__" and name == "negative":
            return -self
        if method == "__call__" and name == "square":
            return self**2
        raise TypeError(f"numpy.{name} is not available in energies; there are {', '.join([*_UNARY, 'arctan2'])}")

    def __add__(self, other: Any) -> Any:
        return _joined("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _joined("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _joined("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _joined("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return _joined("*", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _joined("*", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _joined("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _joined("/", other, self)

    def __pow__(self, other: Any) -> Any:
        return _joined("^", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _joined("^", other, self)

    def __neg__(self) -> Symbol:
        return Symbol(f"(-{self.text})")

    def __pos__(self) -> Symbol:
        return self

    def __float__(self) -> float:
        raise TypeError("energies are called once, with symbols: use numpy.sin and the like instead of math.sin")

    def __bool__(self) -> bool:
        raise TypeError("energies are called once, with symbols: they cannot compare or branch")

    def _compared(self, other: Any) -> bool:
        return bool(self)

    __lt__ = __le__ = __gt__ = __ge__ = _compared


def _method(name: str) -> Callable[[Symbol], Symbol]:
    return lambda self: Symbol(f"{name}({self.text})")


for _numpy, _formula in _UNARY.items():
    # what NumPy calls for each element of an array of objects
    setattr(Symbol, _numpy, _method(_formula))


def _boxed(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x
    box = np.empty((), dtype=object)
    box[()] = x
    return box


def _joined(sign: str, a: Any, b: Any) -> Any:
    if isinstance(a, np.ndarray) and a.ndim or isinstance(b, np.ndarray) and b.ndim:
        return NotImplemented
    return Symbol(f"({_text(a)} {sign} {_text(b)})")


def _text(x: Any) -> str:
    if isinstance(x, Symbol):
        return x.text
    if isinstance(x, np.ndarray) and x.size == 1:
        return _text(x.reshape(-1)[0])
    number = float(x)
    if not np.isfinite(number):
        raise ValueError(f"{number} in an energy")
    return f"({number!r})" if number < 0 else repr(number)


def _written(function: Callable[..., Any] | str, *arguments: Any) -> str:
    return function if isinstance(function, str) else _text(function(*arguments))


def lagrangian(
    coordinates: Sequence[str],
    kinetic: Callable[[Any, Any], Any] | str = "0",
    potential: Callable[[Any], Any] | str = "0",
    parameters: Mapping[str, float] | None = None,
    *,
    atoms: Sequence[tuple[float, Callable[[Any], Sequence[Any]]]] = (),
    density: Callable[[Any, Any, Any], Any] | str = "0",
    constraints: Sequence[Callable[[Any], Any] | str] = (),
) -> Lagrangian:
    """A Lagrangian from Python functions.

    kinetic(q, v) and potential(q) get arrays and may use NumPy; atoms are (mass, f) with f(q) the place (x, y, z) of each;
    density(x, y, z) is the potential energy per kilogram; constraints(q) stay 0. A function is called once, with symbols in place
    of numbers, and becomes a formula, so derivatives are exact and no Python runs in a step. It may loop, but not branch on
    the values. Formulas as text may stand in for functions.

        import numpy as np
        pendulum = poinsot.lagrangian(["th"], lambda q, v: 0.5 * v[0] ** 2, lambda q: -9.81 * np.cos(q[0]))
    """
    names = list(coordinates)
    q, v = (np.array([Symbol(name + end) for name in names], dtype=object) for end in ("", "_dot"))
    x, y, z = (Symbol(axis) for axis in "xyz")
    places = [(mass, *(_text(c) for c in place(q))) for mass, place in atoms]
    return Lagrangian(
        names,
        _written(kinetic, q, v),
        _written(potential, q),
        parameters,
        atoms=[(float(mass), a, b, c) for mass, a, b, c in places],
        density=_written(density, x, y, z),
        constraints=[_written(c, q) for c in constraints],
    )
