"""Controllers: laws for the forces to apply along the joints.

>>> sim.run(5.0, tau=PD(model, target, gravity=True))
"""

from __future__ import annotations

from typing import Callable, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._poinsot import Model, Simulation

__all__ = ["PD", "ComputedTorque"]

_Array = NDArray[np.float64]
Target = Union[ArrayLike, Callable[[float], "tuple[ArrayLike, ...]"]]
"""A configuration to rest at, or a function of time that gives q, or q and v, or q, v and a."""


def _gain(name: str, value: ArrayLike, nv: int) -> _Array:
    """One number for each degree of freedom, finite and at least 0."""
    try:
        gain = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {value!r}: give one number, or one for each of the {nv} degrees of freedom") from None
    if gain.shape not in ((), (nv,)):
        raise ValueError(f"{name} has the shape {gain.shape}: give one number, or one for each of the {nv} degrees of freedom")
    wrong = np.atleast_1d(gain)[~(np.isfinite(np.atleast_1d(gain)) & (np.atleast_1d(gain) >= 0))]
    if wrong.size:
        raise ValueError(f"{name} is {wrong[0]}: a gain is a finite number, at least 0")
    return np.broadcast_to(gain, (nv,)).copy()


def _frequency(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"frequency is {value!r}: give a number, rad/s")
    if not (np.isfinite(value) and value > 0):
        raise ValueError(f"frequency is {value}: give a finite number above 0, rad/s")
    return float(value)


class _Law:
    kp: _Array
    kd: _Array

    def __init__(self, model: Model, target: Target) -> None:
        self.model, self.target = model, target
        if not callable(target):
            q = np.asarray(target[0] if isinstance(target, tuple) and np.ndim(target[0]) else target, dtype=float)
            if q.shape != (model.nq,):
                raise ValueError(f"target has the shape {q.shape}: a configuration has nq = {model.nq} numbers")
            if not np.isfinite(q).all():
                raise ValueError(f"target is {q}: its numbers must be finite")

    def _wanted(self, time: float) -> tuple[ArrayLike, ...]:
        wanted = self.target(time) if callable(self.target) else self.target
        return wanted if isinstance(wanted, tuple) and (not wanted or np.ndim(wanted[0])) else (wanted,)

    def _pull(self, sim: Simulation) -> tuple[_Array, _Array]:
        """kp (q_d - q) + kd (v_d - v), and a_d."""
        rest = np.zeros(self.model.nv)
        parts = (*self._wanted(sim.time), rest, rest)[:3]
        q, v, a = (np.asarray(part, dtype=float) for part in parts)
        return self.kp * self.model.difference(sim.q, q) + self.kd * (v - sim.v), a


class PD(_Law):
    """A spring and a damper on every degree of freedom: tau = kp (q_d - q) + kd (v_d - v), with gravity=True plus the weight.

    kp, kd: N m/rad and N m s/rad (or N/m and N s/m), one number or one for each degree of freedom. What is not given follows the
    inertia m = M_ii(q_d) that the degree of freedom moves, at the target, or where a function gives it at the first call:
    kp = m frequency**2, and kd = 2 sqrt(m kp), critically damped. frequency: rad/s.
    """

    def __init__(
        self,
        model: Model,
        target: Target,
        kp: Optional[ArrayLike] = None,
        kd: Optional[ArrayLike] = None,
        gravity: bool = False,
        frequency: float = 10.0,
    ) -> None:
        super().__init__(model, target)
        self.gravity = gravity
        self._frequency = _frequency(frequency)
        self._given = tuple(None if gain is None else _gain(name, gain, model.nv) for name, gain in (("kp", kp), ("kd", kd)))
        self._tuned = False
        if not callable(target):
            self._tune(0.0)

    def _tune(self, time: float) -> None:
        kp, kd = self._given
        if kp is None or kd is None:
            m = np.diag(self.model.mass_matrix(np.asarray(self._wanted(time)[0], dtype=float)))
            kp = m * self._frequency**2 if kp is None else kp
            kd = 2 * np.sqrt(m * kp) if kd is None else kd
        self.kp, self.kd, self._tuned = kp, kd, True

    def __call__(self, sim: Simulation) -> _Array:
        if not self._tuned:
            self._tune(sim.time)
        tau, _ = self._pull(sim)
        return tau + self.model.gravity(sim.q) if self.gravity else tau


class ComputedTorque(_Law):
    """tau = M (a_d + kp (q_d - q) + kd (v_d - v)) + bias: the error decays like that of a critically damped oscillator.

    frequency: rad/s; kp = frequency**2 and kd = 2 frequency, unless they are given, in 1/s**2 and 1/s.
    """

    def __init__(
        self,
        model: Model,
        target: Target,
        frequency: float = 10.0,
        kp: Optional[ArrayLike] = None,
        kd: Optional[ArrayLike] = None,
    ) -> None:
        super().__init__(model, target)
        frequency = _frequency(frequency)
        self.kp = _gain("kp", frequency**2 if kp is None else kp, model.nv)
        self.kd = _gain("kd", 2 * frequency if kd is None else kd, model.nv)

    def __call__(self, sim: Simulation) -> _Array:
        pull, a = self._pull(sim)
        return self.model.inverse_dynamics(sim.q, sim.v, a + pull)
