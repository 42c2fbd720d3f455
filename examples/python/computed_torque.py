"""A UR5 follows a path by computed torque: errors decay as those of a damped oscillator, however fast the motion is.

Robot: pip install example-robot-data
"""

import pathlib
import sysconfig

import numpy as np
import poinsot
from poinsot.control import ComputedTorque, PD

ROBOTS = pathlib.Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")
model = poinsot.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf")
middle, reach = np.array([0, -1.2, 1.5, -1.8, -1.5, 0]), np.array([0.8, 0.4, 0.4, 0.5, 0.5, 1.0])


def path(t):
    """Positions, velocities and accelerations."""
    return middle + reach * np.sin(3 * t), 3 * reach * np.cos(3 * t), -9 * reach * np.sin(3 * t)


def worst_error(law):
    sim = poinsot.Simulation(model, dt=1e-3, integrator="rkmk4", q=middle, v=path(0)[1])
    worst = 0.0
    for _ in range(300):
        sim.run(0.01, tau=law)
        worst = max(worst, np.abs(sim.q - path(sim.time)[0]).max())
    return worst


pd = worst_error(PD(model, path, kp=200, kd=30, gravity=True))
computed = worst_error(ComputedTorque(model, path, frequency=20))
print(f"worst error on the way: PD {pd:.4f} rad, computed torque {computed:.4f} rad")
assert computed < pd
