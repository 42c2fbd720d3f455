"""Sensors of MJCF files, compared with MuJoCo: every kind that needs no contact (test_touching.py has those), and every file of the packages that has some."""

import pathlib
import re

import mujoco
import numpy as np
import pytest

import poinsot
from test_mjcf_peers import FILES, not_simulated

ZOO = (pathlib.Path(__file__).parent / "sensors.xml").read_text()
WITH_SENSORS = [f for f in FILES if b"<sensor" in f[2].read_bytes()]


def apart(ours, theirs, kind):
    """The difference; a quaternion and its negative are the same attitude."""
    if kind in (int(mujoco.mjtSensor.mjSENS_FRAMEQUAT), int(mujoco.mjtSensor.mjSENS_BALLQUAT)):
        ours = ours * np.sign(ours @ theirs)
    return np.abs(ours - theirs).max() / max(1.0, np.abs(theirs).max())


@pytest.mark.parametrize("formulation", ["reduced", "maximal"])
def test_every_kind_reads_what_mujoco_reads(formulation):
    m, model = mujoco.MjModel.from_xml_string(ZOO), poinsot.loads(ZOO)
    assert len(model.sensor_names) == m.nsensor and not model.refused_sensors
    sim, d = poinsot.Simulation(model, formulation=formulation), mujoco.MjData(m)
    for seed in range(5):
        random = np.random.default_rng(seed)
        q = model.integrate(model.qpos0, random.normal(size=model.nv), 1.0)
        d.qpos[:], d.qvel[:], d.ctrl[:] = q, random.normal(size=m.nv), random.normal(size=m.nu)
        d.qfrc_applied[:] = random.normal(size=m.nv)
        d.xfrc_applied[m.body("plate").id] = random.normal(size=6)
        d.time = 0.5 * seed
        mujoco.mj_forward(m, d)
        sim.q, sim.v, sim.time, sim.ctrl, sim.tau = q, d.qvel, d.time, d.ctrl, d.qfrc_applied
        push = d.xfrc_applied[m.body("plate").id]
        sim.clear_forces()
        sim.apply_force("plate", push[:3], push[3:])
        for name, ours in sim.sensors.items():
            off = apart(ours, d.sensor(name).data, m.sensor_type[m.sensor(name).id])
            assert off < 1e-9, f"{name}: {ours}, MuJoCo has {d.sensor(name).data}"
            assert (sim.sensor(name) == ours).all()


@pytest.mark.parametrize("package,path,file", WITH_SENSORS, ids=[f"{p}/{f}" for p, f, _ in WITH_SENSORS])
def test_files(package, path, file):
    try:
        m, model = mujoco.MjModel.from_xml_path(str(file)), poinsot.load(file)
    except (ValueError, poinsot.ModelError):
        pytest.skip("no model by itself; test_mjcf_peers.py says why")
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    d, random = mujoco.MjData(m), np.random.default_rng(0)
    q = model.integrate(model.qpos0, 0.3 * random.normal(size=model.nv), 1.0)
    # inside their ranges joints feel no limits
    for joint in np.flatnonzero(m.jnt_limited & (m.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))):
        low, high = m.jnt_range[joint]
        at = m.jnt_qposadr[joint]
        q[at] = np.clip(q[at], low + 0.01 * (high - low), high - 0.01 * (high - low))
    d.qpos[:], d.qvel[:], d.ctrl[:] = q, random.normal(size=m.nv), random.normal(size=m.nu)
    sim = poinsot.Simulation(model, q=q, v=d.qvel)
    sim.ctrl = d.ctrl
    mujoco.mj_forward(m, d)
    accelerated = m.neq == 0 and not not_simulated(m) and not m.dof_frictionloss.any()
    names = model.sensor_names
    said = " ".join(x.message for x in model.diagnostics)
    for k in range(m.nsensor):
        name = m.sensor(k).name or f"sensor{k}"
        if name not in names:
            with pytest.raises(ValueError, match=f'sensor "{re.escape(name)}"'):
                sim.sensor(name)
            assert "sensor" in said
            continue
        if m.sensor_needstage[k] == mujoco.mjtStage.mjSTAGE_ACC and not accelerated:
            continue
        first = m.sensor_adr[k]
        theirs = d.sensordata[first : first + m.sensor_dim[k]]
        assert apart(sim.sensor(name), theirs, m.sensor_type[k]) < 1e-7, name


HUNG = """<mujoco><option timestep="0.001"/><default><geom contype="0" conaffinity="0"/>
  <equality solref="0.002 1" solimp="0.9999 0.9999 0.001"/></default><worldbody>
  <body name="frame" pos="0.1 0.2 1" euler="20 10 30"><freejoint/><geom type="box" size=".1 .2 .05" mass="2"/><site name="frame" pos=".1 0 0"/>
    <body name="arm" pos="0.3 0 0.1" euler="0 40 10"><geom type="capsule" fromto="0 0 0 .4 0 .1" size=".02" mass=".7"/>
      <site name="root" pos="-.05 0 .01" euler="10 20 30"/>
      <body name="bob" pos=".4 0 .1"><joint name="swing" axis="0.3 1 0.1"/><geom size=".05" pos="0 0 -.3" mass="1.5"/>
        <body name="cap" pos="0 0 -.35" euler="0 0 50"><geom type="box" size=".03 .02 .01" pos=".02 0 0" mass=".2"/><site name="seam" euler="5 0 0"/>
  </body></body></body></body></worldbody>
  <equality><weld body1="frame"/></equality>
  <sensor><force name="f0" site="frame"/><torque name="t0" site="frame"/><force name="f1" site="root"/><torque name="t1" site="root"/>
    <force name="f2" site="seam"/><torque name="t2" site="seam"/></sensor></mujoco>"""


@pytest.mark.filterwarnings("ignore::poinsot.ModelWarning")
def test_forces_within_bodies_that_a_weld_holds():
    """What a weld bears does not pass through the body it holds, but what hangs on that body does. MuJoCo's weld gives way by a hundredth of
    the weight; with the body part of the world instead of welded to it, MuJoCo's readings are exact."""
    fixed = HUNG.replace("<freejoint/>", "").replace('<equality><weld body1="frame"/></equality>', "")
    (m, exact), model = map(mujoco.MjModel.from_xml_string, (HUNG, fixed)), poinsot.loads(HUNG)
    assert not model.refused_sensors and m.neq == 1 and exact.nv == 1
    sim, d, held = poinsot.Simulation(model), mujoco.MjData(m), mujoco.MjData(exact)
    weight = 9.81 * 4.4
    for seed in range(5):
        random = np.random.default_rng(seed)
        d.qpos[:], d.qvel[:] = model.qpos0, 0
        d.qpos[-1], d.qvel[-1] = held.qpos[0], held.qvel[0] = random.normal(size=2) * [1, 4]
        mujoco.mj_forward(m, d)
        mujoco.mj_forward(exact, held)
        sim.q, sim.v = d.qpos, d.qvel
        for name, ours in sim.sensors.items():
            theirs = d.sensor(name).data
            assert np.abs(ours - theirs).max() < 2e-2 * weight, f"{seed} {name}: {ours}, MuJoCo has {theirs}"
            if name in ("f0", "t0"):
                assert np.abs(ours).max() < 1e-9 * weight, f"{seed} {name}: {ours}"
            else:
                theirs = held.sensor(name).data
                assert np.abs(ours - theirs).max() < 1e-9 * weight, f"{seed} {name}: {ours}, MuJoCo has {theirs}"


def test_forces_at_the_finger_tips_of_a_robot_hand(tmp_path):
    """Kinova's hand has a tip fixed to each finger."""
    file = next(f for package, path, f in FILES if path.endswith("kinova/jaco_hand.xml"))
    text, sensors = file.read_text(), ""
    for finger in (1, 2, 3):
        tip = f'<geom name="finger_tip_{finger}"/>'
        assert tip in text
        text = text.replace(tip, f'{tip}<site name="tip{finger}" pos=".02 .01 0" euler="0.3 {finger} 0.5"/>')
        sensors += f'<force name="f{finger}" site="tip{finger}"/><torque name="t{finger}" site="tip{finger}"/>'
    text = text.replace("meshes_decimated/", str(file.parent / "meshes_decimated") + "/")
    text = text.replace('file="common.xml"', f'file="{file.parent / "common.xml"}"').replace('frictionloss="0.1"', "")
    text = text.replace("</mujoco>", f"<sensor>{sensors}</sensor></mujoco>")
    copy = tmp_path / "hand.xml"
    copy.write_text(text)
    m, model = mujoco.MjModel.from_xml_path(str(copy)), poinsot.load(copy)
    assert not model.refused_sensors and len(model.sensor_names) == m.nsensor == 6
    sim, d = poinsot.Simulation(model, contact=None), mujoco.MjData(m)
    for seed in range(5):
        random = np.random.default_rng(seed)
        # inside their ranges, where joints feel no limits
        d.qpos[:], d.qvel[:] = random.uniform(0.3, 1.2, size=3), random.normal(size=3)
        d.ctrl[:], d.qfrc_applied[:] = random.normal(size=m.nu), random.normal(size=3)
        mujoco.mj_forward(m, d)
        assert d.nefc == 0
        sim.q, sim.v, sim.ctrl, sim.tau = d.qpos, d.qvel, d.ctrl, d.qfrc_applied
        for name, ours in sim.sensors.items():
            theirs = d.sensor(name).data
            assert np.abs(ours - theirs).max() < 1e-7, f"{seed} {name}: {ours}, MuJoCo has {theirs}"


def test_what_is_refused_says_why():
    text = ZOO.replace("</sensor>", '<magnetometer name="compass" site="tip"/></sensor>')
    model = poinsot.loads(text)
    assert model.refused_sensors == {"compass": "there is no magnetic field"}
    with pytest.raises(ValueError, match='"compass" is not evaluated: there is no magnetic field'):
        poinsot.Simulation(model).sensor("compass")
    with pytest.raises(ValueError, match='there is no sensor "gyroo"; did you mean "gyro"?'):
        poinsot.Simulation(model).sensor("gyroo")
    # a note for each, and the line of all that is not simulated
    assert sum("sensor" in d.message for d in model.diagnostics) == 2


LOOKING = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
  <geom name="shelf" type="box" size=".2 .2 .01" pos="0 0 .5" contype="0" conaffinity="0"/>
  <geom type="box" size=".2 .2 .01" pos="0 0 .7" rgba="1 1 1 0"/>
  <body name="eye" pos="0 0 1"><freejoint/><geom name="ball" size=".1"/><site name="down" euler="180 0 0"/><site name="up"/>
    <site name="aside" euler="0 90 0"/></body>
  <body name="room" pos="2 0 1"><freejoint/><geom name="room" size=".3"/><geom name="wall" type="capsule" size=".1 .2" pos="0 .4 0"/></body>
  <body name="guest" pos="2.02 0 1.05"><freejoint/><geom name="guest" type="box" size=".01 .02 .03"/><site name="within"/></body>
  <body name="mole" pos="0 0 -1"><freejoint/><geom size=".01"/><site name="below"/></body>
  </worldbody><sensor>
  <rangefinder name="r0" site="down"/><rangefinder name="r1" site="up"/><rangefinder name="r2" site="within"/>
  <rangefinder name="r3" site="below"/><rangefinder name="r4" site="aside"/><rangefinder name="r5" site="down" cutoff=".3"/>
  <rangefinder name="r6" site="up" cutoff=".3"/>
  <distance name="d0" geom1="ball" geom2="room" cutoff="9"/><normal name="n0" geom1="ball" geom2="room" cutoff="9"/>
  <fromto name="p0" geom1="ball" geom2="room" cutoff="9"/><distance name="d1" geom1="ball" geom2="room" cutoff="1"/>
  <normal name="n1" geom1="ball" geom2="room" cutoff="1"/><fromto name="p1" geom1="ball" geom2="room" cutoff="1"/>
  <distance name="d2" body1="eye" body2="room" cutoff="9"/><distance name="d3" geom1="shelf" geom2="floor" cutoff="9"/>
  <distance name="d4" geom1="ball" geom2="wall" cutoff="9"/><fromto name="p4" geom1="ball" geom2="wall" cutoff="9"/>
  <distance name="d5" geom1="ball" geom2="room"/></sensor></mujoco>"""


def test_sensors_that_look_at_shapes():
    m, model = mujoco.MjModel.from_xml_string(LOOKING), poinsot.loads(LOOKING)
    assert len(model.sensor_names) == m.nsensor and not model.refused_sensors
    sim, d = poinsot.Simulation(model, contact=None), mujoco.MjData(m)
    for seed in range(20):
        random = np.random.default_rng(seed)
        q = model.integrate(model.qpos0, 0.1 * (seed > 0) * random.normal(size=model.nv), 1.0)
        d.qpos[:] = sim.q = q
        mujoco.mj_forward(m, d)
        for name, ours in sim.sensors.items():
            theirs = d.sensor(name).data
            assert ours == pytest.approx(theirs, abs=1e-6), f"{seed} {name}: {ours}, MuJoCo has {theirs}"


def test_sensors_of_limits():
    text = """<mujoco><option gravity="0 0 -10" timestep="0.001"/><worldbody><body><joint name="j" type="slide" axis="0 0 1" range="-0.1 0.2"/>
      <geom size="0.1" mass="2"/></body></worldbody><sensor><jointlimitpos name="p" joint="j"/>
      <jointlimitvel name="v" joint="j"/><jointlimitfrc name="f" joint="j"/></sensor></mujoco>"""
    m, model = mujoco.MjModel.from_xml_string(text), poinsot.loads(text)
    sim, d = poinsot.Simulation(model), mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    assert [sim.sensor(name)[0] for name in "pvf"] == [0, 0, 0] == [d.sensor(name).data[0] for name in "pvf"]
    for _ in range(1000):
        sim.step()
        mujoco.mj_step(m, d)
    # at rest on its lower end the limit carries the weight: MuJoCo's gives way a little
    mujoco.mj_forward(m, d)
    assert sim.sensor("f")[0] == pytest.approx(20, abs=1e-9) == pytest.approx(d.sensor("f").data[0], rel=1e-3)
    assert abs(sim.sensor("p")[0]) < 1e-9 and -1e-3 < d.sensor("p").data[0] <= 0
    # beyond an end both say by how much, and how fast it comes out
    for q, v in [(-0.15, 0.3), (0.25, -0.2), (0.22, 0.4)]:
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        state = poinsot.Simulation(model, q=[0.0], stabilisation="nothing")
        state.q, state.v = [q], [v]
        for name in "pv":
            assert state.sensor(name)[0] == pytest.approx(d.sensor(name).data[0], abs=1e-12), name
