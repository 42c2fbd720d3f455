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


def test_what_is_refused_says_why():
    text = ZOO.replace("</sensor>", '<magnetometer name="compass" site="tip"/><rangefinder name="eye" site="tip"/></sensor>')
    model = poinsot.loads(text)
    assert model.refused_sensors == {"compass": "there is no magnetic field", "eye": "rays are not cast yet"}
    with pytest.raises(ValueError, match='"compass" is not evaluated: there is no magnetic field'):
        poinsot.Simulation(model).sensor("compass")
    with pytest.raises(ValueError, match='there is no sensor "gyroo"; did you mean "gyro"?'):
        poinsot.Simulation(model).sensor("gyroo")
    # a note for each, and the line of all that is not simulated
    assert sum("sensor" in d.message for d in model.diagnostics) == 3
