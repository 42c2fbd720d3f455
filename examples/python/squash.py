"""Squash and stretch: a character of nodes that deform, and a drop that keeps its volume."""

import numpy as np
import poinsot

jelly = poinsot.AffineHierarchy()
jelly.node("body", motions=["squash z", "shear x z"])
jelly.solid("body", "sphere", [0.3], 4.0, at=[0, 0, 0.3])
jelly.spring("body", 0, 160.0, rest=1.08)
jelly.spring("body", 1, 30.0)
jelly.node("head", "body", at=[0, 0, 0.6], motions=["turn y", "squash z"])
jelly.solid("head", "sphere", [0.18], 1.2, at=[0, 0, 0.15])
jelly.spring("head", 0, 12.0)
jelly.spring("head", 1, 40.0, rest=1.05)
path = jelly.simulate([0.72, 0.25, 0.0, 1.0], np.zeros(4), 1e-3, 5000)
volumes = np.linalg.det(path.transforms[:, -1, :3, :3])
print(f"the body is between {path.q[:, 0].min():.2f} and {path.q[:, 0].max():.2f} times as high as it is made")
print(f"energy {path.energy[0]:.3f} J, kept within {np.ptp(path.energy):.1e}; volume of the head within {np.ptp(volumes):.1e}")
assert np.ptp(path.energy) < 1e-6 and np.ptp(volumes) < 1e-12

# inverse dynamics undoes forward dynamics, and the residual C_j(q, v, a, multipliers) of a motion is 0
rng = np.random.default_rng(1)
q, v, tau = path.q[-1], rng.standard_normal(4), rng.standard_normal(4)
a = jelly.forward_dynamics(q, v, tau)
print("residual", np.abs(jelly.residual(q, v, a, [], tau)).max())
assert np.abs(jelly.residual(q, v, a, [], tau)).max() < 1e-10

drop = poinsot.AffineHierarchy(gravity=[0, 0, 0])
drop.node("drop", motions=["affine"])
drop.solid("drop", "sphere", [0.1], 1.0)
drop.hold_volume("drop")
flow = drop.simulate(drop.rest(), rng.standard_normal(12), 1e-3, 1000)
print(f"drop: volume within {np.abs(np.linalg.det(flow.transforms[:, 1, :3, :3]) - 1).max():.1e}, energy within {np.ptp(flow.energy):.1e} J")
assert np.ptp(flow.energy) < 1e-8
