"""Constraints, the ledger and the check, as Python sees them."""

import numpy as np
import pytest

import poinsot

LOOP = """<mujoco><worldbody>
    <body name="one" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/>
      <body name="two" pos="0 0 -.5"><joint name="b" axis="0 1 0" damping=".1"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/><site name="end" pos="0 0 -.5"/></body></body>
    <site name="hook" pos="{} 0 .3"/></worldbody>
  <equality><connect name="loop" site1="end" site2="hook"/></equality></mujoco>"""


def test_a_loop_is_assembled_and_held():
    model = poinsot.loads(LOOP.format(0.4))
    start = np.array([0.3, -0.8])
    assert np.abs(model.constraint_values(start)).max() > 0.01
    q, v = model.assemble(start, [1.0, 1.0])
    assert np.abs(model.constraint_values(q)).max() < 1e-12
    assert np.abs(model.constraint_jacobian(q) @ v).max() < 1e-12
    assert model.constraint_values(np.stack([q, start])).shape == (2, 3)
    assert model.constraint_jacobian(q).shape == (3, 2)
    assert model.mobility(q) == {"freedoms": 0, "rows": 3, "rank": 2, "redundant": ["loop"]}
    a, force = model.constrained_dynamics(q, v, [0.0, 0.0])
    held = model.mass_matrix(q) @ a + model.bias(q, v) - model.constraint_jacobian(q).T @ force
    assert np.abs(held).max() < 1e-9
    with pytest.raises(poinsot.AssemblyError, match='constraint "loop of two and world" remains violated'):
        poinsot.loads(LOOP.format(4)).assemble(start)


def test_the_jacobian_is_the_derivative_of_the_values():
    model = poinsot.loads(LOOP.format(0.4))
    q, v, h = np.array([0.3, -0.8]), np.array([0.7, 0.2]), 1e-6
    rate = (model.constraint_values(q + h * v) - model.constraint_values(q - h * v)) / (2 * h)
    assert np.abs(model.constraint_jacobian(q) @ v - rate).max() < 1e-9


def test_forces_and_reactions_hold_a_pendulum():
    model = poinsot.loads(LOOP.format(0.4))
    q, _ = model.assemble([0.3, -0.8])
    sim = poinsot.Simulation(model, q=q)
    name, size = sim.violation
    assert name == "loop" and size < 1e-12
    assert np.abs(sim.acceleration).max() < 1e-9
    # what the hinge and the hook carry is the weight
    hook, hinge = sim.constraint_forces["loop"], sim.reactions["a"]
    assert np.abs(model.constraint_jacobian(q).T @ hook - model.gravity(q)).max() < 1e-9
    assert np.abs(hinge[3:] + hook - [0, 0, 9.81 * model.mass]).max() < 1e-9
    assert poinsot.Simulation(poinsot.scene("pendulum")).violation is None


def test_the_reaction_of_a_hanging_body_is_its_weight():
    model = poinsot.loads(LOOP.format(0.4).split("<equality>")[0] + "</mujoco>")
    hinge = poinsot.Simulation(model).reactions["a"]
    assert np.abs(hinge - [0, 0, 0, 0, 0, 9.81 * model.mass]).max() < 1e-12


def test_constraints_stay_or_drift_as_asked():
    def end(how, *constant):
        sim = poinsot.Simulation(poinsot.scene("four-bar"), dt=2e-3, integrator="rkmk4")
        sim.stabilise(how, *constant)
        sim.step(500)
        return sim.violation[1]

    assert end("projection") < 1e-13 < end("baumgarte", 0.05) < end("nothing") < 1e-3
    sim = poinsot.Simulation(poinsot.scene("four-bar"))
    for wrong in [("baumgarte",), ("baumgarte", -1), ("glue",), ("nothing", 1)]:
        with pytest.raises(ValueError):
            sim.stabilise(*wrong)


def test_the_ledger_adds_up():
    model = poinsot.loads(LOOP.format(0.4).split("<equality>")[0] + "</mujoco>")
    assert poinsot.Simulation(model).ledger is None
    sim = poinsot.Simulation(model, dt=1e-3, integrator="rkmk4", q=[1, 0], ledger=True)
    sim.step(1000)
    ledger = sim.ledger
    work = ledger["work"]
    assert list(work)[:3] == ["gravity", "springs", "dampers"] and work["dampers"] < -0.01
    assert sum(work.values()) + ledger["imbalance"] == pytest.approx(ledger["kinetic_energy"], abs=1e-12)
    assert ledger["kinetic_energy"] == pytest.approx(sim.kinetic_energy(), abs=1e-12)
    assert abs(work["integration"]) < 1e-8
    parts = ledger["momentum"]
    total = sum(parts[name] for name in ["gravity", "reactions", "stabilisation", "integration"])
    assert np.abs(total - parts["change"]).max() < 1e-9 and np.abs(parts["integration"]).max() < 1e-8
    assert np.abs(parts["change"] - sim.momentum()).max() < 1e-9


def test_check_says_what_was_compared():
    found = poinsot.scene("four-bar").check()
    assert [a["quantity"] for a in found][:3] == ["acceleration", "acceleration", "reaction"]
    assert found[-1]["quantity"] == "motion" and found[-1]["worst"] < 1e-6
    assert max(a["worst"] for a in found[:-1]) < 1e-12
    assert all(a["where"] and 0 <= a["time"] <= 0.1001 for a in found if a["worst"] > 0)
    model = poinsot.loads(LOOP.format(0.4))
    assert max(a["worst"] for a in model.check([0.3, -0.8], time=0)) < 1e-9
    with pytest.raises(poinsot.AssemblyError):
        poinsot.loads(LOOP.format(4)).check()
    for wrong in [{"dt": 0}, {"time": -1}, {"time": np.inf}]:
        with pytest.raises(ValueError):
            model.check(**wrong)


@pytest.mark.parametrize("name", [n.replace(":N", ":3") for n in poinsot.scenes()])
def test_the_formulations_agree_on_every_scene(name):
    # accelerations that a load of a million masses hides in round-off
    allowed = 1e-7 if name.startswith("heavy-chain") else 1e-9
    assert max(a["worst"] for a in poinsot.scene(name).check(time=0)) < allowed
