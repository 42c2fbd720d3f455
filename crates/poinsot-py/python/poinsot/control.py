"""Controllers: small laws that give the forces to apply along the joints.

>>> sim.run(5.0, tau=PD(model, target, kp=100, kd=20, gravity=True))
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


class _Law:
    def __init__(self, model: Model, target: Target, kp: ArrayLike, kd: ArrayLike) -> None:
        self.model, self.target = model, target
        self.kp: _Array = np.broadcast_to(np.asarray(kp, dtype=float), (model.nv,))
        self.kd: _Array = np.broadcast_to(np.asarray(kd, dtype=float), (model.nv,))

    def _pull(self, sim: Simulation) -> tuple[_Array, _Array]:
        """kp (q_d - q) + kd (v_d - v), and a_d."""
        wanted = self.target(sim.time) if callable(self.target) else self.target
        rest = np.zeros(self.model.nv)
        parts = (*(wanted if isinstance(wanted, tuple) else (wanted,)), rest, rest)[:3]
        q, v, a = (np.asarray(part, dtype=float) for part in parts)
        return self.kp * self.model.difference(sim.q, q) + self.kd * (v - sim.v), a


class PD(_Law):
    """A spring and a damper on every degree of freedom: tau = kp (q_d - q) + kd (v_d - v), with gravity=True plus the weight.

    kp, kd: N m/rad and N m s/rad (or N/m and N s/m), one number or one for each degree of freedom.
    """

    def __init__(
        self, model: Model, target: Target, kp: ArrayLike = 100.0, kd: ArrayLike = 20.0, gravity: bool = False
    ) -> None:
        super().__init__(model, target, kp, kd)
        self.gravity = gravity

    def __call__(self, sim: Simulation) -> _Array:
        tau, _ = self._pull(sim)
        return tau + self.model.gravity(sim.q) if self.gravity else tau


class ComputedTorque(_Law):
    """tau = M (a_d + kp (q_d - q) + kd (v_d - v)) + bias: the error decays as that of a critically damped oscillator.

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
        super().__init__(
            model, target, frequency**2 if kp is None else kp, 2 * frequency if kd is None else kd
        )

    def __call__(self, sim: Simulation) -> _Array:
        pull, a = self._pull(sim)
        return self.model.inverse_dynamics(sim.q, sim.v, a + pull)
