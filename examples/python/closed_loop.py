"""A closed loop from MJCF: a four-bar linkage driven by a motor, whose loop stays closed to round-off."""

import numpy as np
import poinsot

model = poinsot.loads("""
<mujoco model="four-bar">
  <compiler angle="degree"/>
  <worldbody>
    <body name="crank">
      <joint name="crank" axis="0 1 0"/><geom type="capsule" fromto="0 0 0  0 0 0.1" size="0.01"/>
      <body name="coupler" pos="0 0 0.1">
        <joint name="coupler" axis="0 1 0"/><geom type="capsule" fromto="0 0 0  0.3 0 0.1" size="0.01"/>
      </body>
    </body>
    <body name="rocker" pos="0.3 0 0">
      <joint name="rocker" axis="0 1 0"/><geom type="capsule" fromto="0 0 0  0 0 0.2" size="0.01"/>
    </body>
  </worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.3 0 0.1"/></equality>
  <actuator><motor name="motor" joint="crank" ctrlrange="-2 2"/></actuator>
  <sensor><jointvel name="speed" joint="crank"/><jointpos name="rocking" joint="rocker"/></sensor>
</mujoco>
""")
sim = poinsot.Simulation(model, dt=1e-3, integrator="midpoint", ledger=True)
angles = []
for _ in range(300):
    # a governor: as much torque as it takes to turn at 6 rad/s
    sim.run(0.01, control=lambda sim: 0.2 * (6.0 - sim.sensor("speed")))
    angles.append(sim.sensor("rocking")[0])
name, gap = sim.violation
print(f"the crank has turned {sim.q[0] / (2 * np.pi):.1f} times, the rocker between {np.degrees(min(angles)):.0f} and "
      f"{np.degrees(max(angles)):.0f} degrees")
print(f'"{name}" is open by {gap:.0e} m; its force is {sim.constraint_forces["pin"].round(3)} N')
print("work, J:", {line: round(work, 4) for line, work in sim.ledger["work"].items() if abs(work) > 1e-6})
assert gap < 1e-12 and sim.q[0] > 2 * np.pi
