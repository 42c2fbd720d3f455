"""A sweep with plots: how far a pendulum on a cart swings, for many dampings and lengths.

Plots: pip install matplotlib
"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import poinsot


def swing(length, damping):
    """The angle over time after the cart was pushed."""
    b = poinsot.ModelBuilder("cart")
    b.solid(b.body("cart"), "box", 1.0, size=(0.4, 0.2, 0.1))
    b.joint("cart", "prismatic", axis=(1, 0, 0), name="rail")
    b.solid(b.body("bob", "cart"), "sphere", 0.3, radius=0.04, pos=(0, 0, -length))
    b.joint("bob", "revolute", axis=(0, 1, 0), name="hinge", damping=damping)
    sim = poinsot.Simulation(b.build(), dt=2e-3, integrator="implicit")
    sim.apply_force("cart", (20, 0, 0))
    sim.step(50)
    rows = []
    for _ in range(400):
        sim.step(5)
        rows.append((sim.time, sim.q[1]))
    return np.array(rows)


figure, (over_time, largest) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
lengths, dampings = np.linspace(0.2, 1.0, 5), np.geomspace(1e-3, 1e-1, 8)
for length in lengths:
    t, angle = swing(length, 1e-2).T
    over_time.plot(t, np.degrees(angle), label=f"{length:.1f} m")
    largest.semilogx(dampings, [np.degrees(np.ptp(swing(length, d)[200:, 1])) for d in dampings], "o-")
over_time.set(xlabel="time, s", ylabel="angle, degrees", title="pushed for 0.1 s")
largest.set(xlabel="damping, N m s/rad", ylabel="range of the angle after 2 s, degrees")
over_time.legend()
figure.savefig("sweep.png", dpi=120)
print("wrote sweep.png")
