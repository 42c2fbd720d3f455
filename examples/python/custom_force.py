"""A force of one's own: a ball thrown through a gust of wind, whose drag grows with the square of its speed through the air."""

import numpy as np
import poinsot

b = poinsot.ModelBuilder("ball in the wind")
b.solid(b.body("ball"), "sphere", 0.1, radius=0.05)
b.joint("ball", "free")
model = b.build()


def thrown(wind, drag=0.01):
    sim = poinsot.Simulation(model, dt=1e-3, integrator="rkmk4", v=[8, 0, 8, 0, 0, 0], ledger=True)

    def gust(sim):
        through_air = sim.velocity("ball")[3:] - wind * np.sin(4 * sim.time) ** 2
        sim.apply_force("ball", -drag * np.linalg.norm(through_air) * through_air)

    while sim.pose("ball")[0][2] >= 0:
        sim.run(0.001, control=gust)
    return sim


for speed in (0, 5, 10):
    sim = thrown(np.array([-speed, 0.3 * speed, 0]))
    x, y, _ = sim.pose("ball")[0]
    work = sim.ledger["work"]["elements"]
    print(f"wind of {speed:2} m/s: lands at ({x:.2f}, {y:.2f}) m after {sim.time:.2f} s; the air gave {work:+.2f} J")
    assert abs(sim.ledger["imbalance"]) < 1e-12
