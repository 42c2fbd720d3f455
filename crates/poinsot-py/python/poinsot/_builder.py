"""Models made in Python."""

from __future__ import annotations

import copy
import functools
from typing import Any, Callable

from ._poinsot import Model, _ModelBuilder

_Call = tuple[str, tuple[Any, ...], dict[str, Any]]


class ModelBuilder(_ModelBuilder):
    """Collects bodies, joints, solids, geoms, tendons, actuators, constraints, sites and sensors; build() checks them and makes a Model.

    Parts are given by name or by the number that the call gave which added them; the world is body 0. Everything is SI.

    >>> b = ModelBuilder("pendulum")
    >>> bob = b.body("bob", pos=(0, 0, 2))
    >>> b.solid(bob, "sphere", 1.0, radius=0.1, pos=(0, 0, -1))
    >>> hinge = b.joint(bob, "revolute", axis=(0, 1, 0), name="hinge", damping=0.1)
    >>> model = b.build()
    >>> model.nv
    1
    """

    _recipe: list[_Call]

    def __new__(cls, name: str = "model", *, gravity: Any = None) -> ModelBuilder:
        self = super().__new__(cls, name, gravity=gravity)
        self._recipe = [("__new__", (name,), {"gravity": copy.deepcopy(gravity)})]
        return self

    def build(self) -> Model:
        """The model. Raises ModelError, which names the part that is wrong; the builder can still be used afterwards."""
        return self._build(copy.copy(self._recipe))


def _recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, recorded in the recipe if it succeeds."""

    @functools.wraps(method)
    def call(self: ModelBuilder, *args: Any, **kwargs: Any) -> Any:
        kept = copy.deepcopy((args, kwargs))
        result = method(self, *args, **kwargs)
        self._recipe.append((method.__name__, *kept))
        return result

    return call


for _name in ("body", "solid", "geom", "joint", "tendon", "actuator", "constraint", "medium", "site", "sensor"):
    setattr(ModelBuilder, _name, _recorded(getattr(_ModelBuilder, _name)))


def again(recipe: list[_Call]) -> Model:
    """The model of a recipe, as recreated from a pickle."""
    (_, args, kwargs), *calls = recipe
    builder = ModelBuilder(*args, **kwargs)
    for name, args, kwargs in calls:
        getattr(builder, name)(*args, **kwargs)
    return builder.build()
