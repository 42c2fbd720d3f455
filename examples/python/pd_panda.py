"""A Franka Panda from its URDF file, held by a PD law on its motors, and pushed.

Robot: pip install example-robot-data
"""

import pathlib
import sysconfig

import numpy as np
import poinsot
from poinsot.control import PD

ROBOTS = pathlib.Path(sysconfig.get_path("purelib"), "cmeel.prefix/share/example-robot-data/robots")

model = poinsot.load(ROBOTS / "panda_description/urdf/panda.urdf", motors=True)
print(model, "\nstrongest torques:", model.actuator_ranges[:, 1])

home = np.array([0, -np.pi / 4, 0, -3 * np.pi / 4, 0, np.pi / 2, np.pi / 4, 0.02, 0.02])
sim = poinsot.Simulation(model, q=home)
# forces are held over a step, so the light wrist bears less damping than the arm
hold = PD(model, home, kp=[600] * 4 + [60] * 3 + [100] * 2, kd=[50] * 4 + [2] * 3 + [5] * 2, gravity=True)
motors = [model.joint_names.index(name) for name in model.actuator_names]


def controls(sim):
    # someone leans on the hand for half a second
    if 1.0 <= sim.time < 1.5:
        sim.apply_force("panda_hand", force=(0, 30, 0))
    return hold(sim)[motors]


moved = 0.0
for _ in range(40):
    sim.run(0.1, control=controls)
    moved = max(moved, np.abs(sim.q - home).max())
print(f"pushed away by {moved:.3f} rad at most, and back to {np.abs(sim.q - home).max():.1e} rad")
assert moved > 0.01 and np.abs(sim.q - home).max() < 1e-3
