"""A film, a replay and a picture of a run."""

import pathlib

import poinsot

sim = poinsot.Simulation(poinsot.scene("astronaut"))
sim.record(fps=20)
sim.run(3.0, control=lambda sim: [0.6 if sim.time < 1.5 else -0.6] * sim.model.nu)
replay = poinsot.replay(sim)
print(replay)
replay.save("astronaut.gif", width=320, height=240)
replay.save("astronaut.html")  # one page that replays anywhere; in a notebook, `replay` alone shows it
picture = sim.render(640, 480)
print(f"a picture of shape {picture.shape};", ", ".join(
    f"{file.name}: {file.stat().st_size / 1e3:.0f} kB" for file in sorted(pathlib.Path().glob("astronaut.*"))
))
