"""Inverse kinematics by the Jacobian: the hand of a Panda to a pose, by damped least squares.

Robot: pip install example-robot-data
"""

import pathlib
import sysconfig

import numpy as np
import poinsot

ROBOTS = pathlib.Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
model = poinsot.load(ROBOTS / "panda_description/urdf/panda.urdf")
hand = model.body_names.index("panda_hand")


def turn_between(now, wanted):
    """The rotation vector, in world axes, that turns one attitude into the other."""
    r = wanted @ now.T
    axis = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    sine, cosine = np.linalg.norm(axis) / 2, (np.trace(r) - 1) / 2
    return axis / 2 if sine < 1e-9 else axis / (2 * sine) * np.arctan2(sine, cosine)


def reach(place, attitude, q, damping=1e-2):
    for step in range(200):
        positions, rotations = model.forward_kinematics(q)
        error = np.concatenate([turn_between(rotations[hand], attitude), place - positions[hand]])
        if np.abs(error).max() < 1e-10:
            return q, step
        j = model.jacobian(q, hand)
        q = model.integrate(q, j.T @ np.linalg.solve(j @ j.T + damping**2 * np.eye(6), error), 1.0)
    raise RuntimeError("out of reach")


down = np.diag([1.0, -1.0, -1.0])
start = np.array([0, -0.8, 0, -2.3, 0, 1.6, 0.8, 0, 0])
for place in [(0.5, 0.0, 0.3), (0.4, 0.3, 0.5), (0.3, -0.4, 0.4)]:
    q, steps = reach(np.array(place), down, start)
    print(f"{place}: after {steps} steps, q = {np.round(q[:7], 3)}")
    assert np.allclose(model.forward_kinematics(q)[0][hand], place, atol=1e-9)
