"""Which contact forces explain a motion, from Python."""

import numpy as np
import pytest

import poinsot

BALL = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 0.1"><freejoint/><geom name="ball" size="0.1" mass="3"/></body></worldbody></mujoco>"""

TRIPOD = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1" friction="0 0 0" condim="1"/>
  <body name="stool" pos="0 0 0.5"><freejoint/><inertial pos="0.05 0.02 0" mass="4" diaginertia="0.2 0.2 0.3"/>
    <geom size="0.01" pos="0.5 0.1 -0.49" condim="1" friction="0 0 0"/><geom size="0.01" pos="-0.4 0.3 -0.49" condim="1" friction="0 0 0"/>
    <geom size="0.01" pos="-0.1 -0.6 -0.49" condim="1" friction="0 0 0"/></body></worldbody></mujoco>"""


def test_a_ball_at_rest_and_one_that_would_have_to_be_pulled():
    model = poinsot.loads(BALL)
    still = model.contact_forces(model.qpos0, np.zeros(6), np.zeros(6))
    assert still["feasible"] and still["unique"] and still["closing"] == 0
    contact, = still["contacts"]
    assert np.abs(contact["force"] - [0, 0, 3 * 9.81]).max() < 1e-9 and list(contact["geoms"]) == [0, 1]
    pulled = model.contact_forces(model.qpos0, np.zeros(6), [0, 0, -9.81 - 2, 0, 0, 0])
    assert not pulled["feasible"] and abs(pulled["residual_force"][2] + 6) < 1e-9 and abs(pulled["residual"][2] + 2) < 1e-9
    pushed = model.contact_forces(model.qpos0, np.zeros(6), np.zeros(6), tau=[0, 0, -1, 0, 0, 0])
    assert abs(pushed["contacts"]["force"][0, 2] - 3 * 9.81 - 1) < 1e-9


@pytest.mark.parametrize("how", ["leapfrog", "implicit", "semi-implicit", "rkmk4", "adaptive"])
def test_the_forces_of_a_step_are_found_again(how):
    model = poinsot.loads(TRIPOD)
    sim = poinsot.Simulation(model, dt=1e-3, integrator=how, contact="exact")
    sim.step(10)
    found = sim.contact_forces()
    assert found["feasible"] and found["unique"], found["relative"]
    known = {tuple(c["geoms"]): c["force"][2] for c in sim.contacts}
    for c in found["contacts"]:
        assert abs(c["force"][2] - known[tuple(c["geoms"])]) < 1e-6


def test_four_legs_are_not_unique_in_time_either():
    legs = "".join(f'<geom size="0.01" pos="{x} {y} -0.49"/>' for x in (-0.3, 0.3) for y in (-0.2, 0.2))
    text = f"""<mujoco><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 0.5"><freejoint/>
      <inertial pos="0 0 0" mass="4" diaginertia="0.2 0.2 0.3"/>{legs}</body></worldbody></mujoco>"""
    for how in ("leapfrog", "adaptive"):
        sim = poinsot.Simulation(poinsot.loads(text), dt=1e-3, integrator=how, contact="exact")
        sim.step(3)
        assert sim.certificate["status"] == "not unique" and not sim.contact_forces()["unique"]
    sim = poinsot.Simulation(poinsot.loads(TRIPOD), dt=1e-3, integrator="leapfrog")
    sim.step(3)
    assert sim.certificate["status"] == "solved"


def test_bad_input_is_refused_in_words():
    model = poinsot.loads(BALL)
    zero = np.zeros(6)
    with pytest.raises(ValueError, match="a has"):
        model.contact_forces(model.qpos0, zero, np.zeros(5))
    with pytest.raises(ValueError, match="gap"):
        model.contact_forces(model.qpos0, zero, zero, gap=-1)
    with pytest.raises(ValueError, match="nan|not finite|NaN"):
        model.contact_forces(model.qpos0, zero, np.full(6, np.nan))
