"""Limits and dry friction on real robots, and compared with MuJoCo where its soft limits allow a statement."""

import numpy as np
import pytest

import poinsot

pytest.importorskip("mujoco")

def test_limits_hold_under_random_controls():
    text = """<mujoco><worldbody><body><joint name="a" axis="0 1 0" range="-30 30"/><geom type="capsule" size=".05"
      fromto="0 0 0 0 0 -.5"/><body pos="0 0 -.5"><joint name="b" axis="0 1 0" range="-60 10" frictionloss=".1"/>
      <geom type="capsule" size=".04" fromto="0 0 0 0 0 -.4"/></body></body></worldbody>
      <actuator><motor joint="a" gear="30"/><motor joint="b" gear="10"/></actuator></mujoco>"""
    model = poinsot.loads(text)
    rng = np.random.default_rng(3)
    for integrator in ["semi-implicit", "implicit", "rkmk4"]:
        sim = poinsot.Simulation(model, dt=2e-3, integrator=integrator, ledger=True)
        worst = 0.0
        for _ in range(300):
            sim.ctrl = rng.uniform(-1, 1, 2)
            sim.step(5)
            a, b = np.degrees(sim.q)
            worst = max(worst, -30 - a, a - 30, -60 - b, b - 10)
        assert np.isfinite(sim.q).all() and np.isfinite(sim.v).all()
        assert worst < 1e-8, (integrator, worst)


def test_a_joint_rests_where_mujoco_rests_it():
    import mujoco

    text = """<mujoco><option timestep="0.001"/><worldbody><body><joint axis="0 1 0" range="20 90" damping=".05"/>
      <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    data.qpos[0] = np.radians(60)
    sim = poinsot.Simulation(poinsot.loads(text), q=[np.radians(60)])
    for _ in range(3000):
        mujoco.mj_step(theirs, data)
    sim.step(3000)
    assert abs(sim.q[0] - np.radians(20)) < 1e-11 and abs(sim.v[0]) < 1e-11
    # MuJoCo's stop yields a little
    assert abs(sim.q[0] - data.qpos[0]) < 0.02


def test_dry_friction_holds_what_mujoco_lets_creep():
    import mujoco

    text = """<mujoco><worldbody><body><joint type="slide" axis="0 0 1" frictionloss="10"/><geom size=".1" mass="1"
      contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    sim = poinsot.Simulation(poinsot.loads(text))
    for _ in range(1000):
        mujoco.mj_step(theirs, data)
    sim.step(1000)
    assert abs(sim.q[0]) < 1e-12 and abs(sim.v[0]) < 1e-12
    assert abs(data.qpos[0]) < 0.05


def test_events_and_the_builder():
    b = poinsot.ModelBuilder("stop", gravity=[0, 0, 0])
    b.body("block", mass=2.0, inertia=[1, 1, 1])
    b.joint("block", "prismatic", name="rail", axis=[1, 0, 0], limits=[-1, 0.5], restitution=0.5)
    model = b.build()
    for integrator in ["semi-implicit", "rkmk4"]:
        sim = poinsot.Simulation(model, dt=1e-2, integrator=integrator, v=[1.0])
        while not sim.events:
            sim.step()
        [(time, kind, name)] = sim.events
        assert (kind, name) == ("impact", "rail") and abs(time - 0.5) < 1.1e-2
        assert sim.v[0] == pytest.approx(-0.5)
