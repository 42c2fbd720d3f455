"""Motion from energies: K and U of a double pendulum as text, compared with the same pendulum as a tree of bodies."""

import numpy as np
import poinsot

pendulum = poinsot.Lagrangian(
    ["th1", "th2"],
    kinetic="0.5*(m1 + m2)*l1^2*th1_dot^2 + 0.5*m2*l2^2*th2_dot^2 + m2*l1*l2*th1_dot*th2_dot*cos(th1 - th2)",
    potential="-(m1 + m2)*g*l1*cos(th1) - m2*g*l2*cos(th2)",
    parameters=dict(m1=1.3, m2=0.7, l1=0.8, l2=1.1, g=9.81),
)
dt, n = 2.5e-4, 8000
path = pendulum.simulate([0.9, -0.4], [0.3, 1.2], dt, n, method="rk4")

tree = poinsot.loads("""
<mujoco model="double pendulum">
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="upper">
      <joint name="th1" axis="0 1 0"/><inertial pos="0 0 -0.8" mass="1.3" diaginertia="1e-12 1e-12 1e-12"/>
      <body name="lower" pos="0 0 -0.8">
        <joint name="th2" axis="0 1 0"/><inertial pos="0 0 -1.1" mass="0.7" diaginertia="1e-12 1e-12 1e-12"/>
      </body>
    </body>
  </worldbody>
</mujoco>
""")
sim = poinsot.Simulation(tree, q=[0.9, -1.3], v=[0.3, 0.9], dt=dt, integrator="rkmk4")
sim.step(n)
apart = np.abs(path.q[-1] - np.cumsum(sim.q)).max()
print(f"after {dt * n} s energies and tree are {apart:.1e} rad apart")
assert apart < 1e-9

# the action is stationary along a motion, and not along a neighbouring path
h = 0.01
motion = pendulum.simulate([0.9, -0.4], [0.3, 1.2], h, 200, method="midpoint").q
varied = motion + 0.01 * np.sin(np.linspace(0, np.pi, len(motion)))[:, None]
along, off = (np.abs(pendulum.first_variation(p, h)).max() for p in (motion, varied))
print(f"first variation of the action: {along:.1e} along the motion, {off:.1e} next to it")
assert along < 1e-10 and off > 1e-4

# a point on a sphere: an atom, its weight, and a constraint
rod = poinsot.Lagrangian(["x", "y", "z"], atoms=[(2.0, "x", "y", "z")], density="9.81*z", constraints=["(x^2 + y^2 + z^2 - 1)/2"])
swing = rod.simulate([0.6, 0.0, -0.8], [0.0, 1.5, 0.0], 1e-2, 1000)
turning = swing.q[:, 0] * swing.p[:, 1] - swing.q[:, 1] * swing.p[:, 0]
print(f"spherical pendulum: momentum about the vertical kept within {np.ptp(turning):.1e}, length within "
      f"{np.abs(np.linalg.norm(swing.q, axis=1) - 1).max():.1e}")
assert np.ptp(turning) < 1e-11
