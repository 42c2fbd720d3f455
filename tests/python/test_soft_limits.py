"""Limits that yield as `solreflimit` of an MJCF file says, compared with MuJoCo."""

import pickle

import numpy as np
import pytest

import peers
import poinsot

mujoco = pytest.importorskip("mujoco")

ONE = """<mujoco><option timestep="5e-4" gravity="0 0 0"/><worldbody><body><joint axis="0 1 0" range="-90 30" {solver}/>
  <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""


def both(text, steps, v):
    """The angles of both engines, from rest at 0 with this velocity."""
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    data.qvel[:] = v
    sim = poinsot.Simulation(poinsot.loads(text, soft_limits=True), v=np.full(theirs.nv, v))
    ours, other = [], []
    for _ in range(steps):
        mujoco.mj_step(theirs, data)
        sim.step()
        ours.append(sim.q[0])
        other.append(data.qpos[0])
    return np.array(ours), np.array(other)


@pytest.mark.parametrize(
    "solver", ['solreflimit=".05 1"', 'solreflimit=".1 .3"', 'solreflimit="-900 -20"', 'solreflimit=".1 1" solimplimit=".99 .99"']
)
def test_a_joint_goes_as_far_beyond_its_end_as_mujocos(solver):
    ours, theirs = both(ONE.format(solver=solver), 800, 3.0)
    end = np.radians(30)
    assert theirs.max() > end + 0.01, "it yields"
    assert abs((ours.max() - end) / (theirs.max() - end) - 1) < 0.05
    # on the way back MuJoCo's limit never pulls
    there = slice(0, theirs.argmax())
    assert np.abs(ours[there] - theirs[there]).max() < 0.05 * (theirs.max() - end)


def test_at_rest_it_yields_further_by_the_impedance():
    text = ONE.replace('gravity="0 0 0"', 'gravity="-9.81 0 0"').format(solver='solreflimit=".05 1" solimplimit=".9 .9"')
    ours, theirs = both(text, 8000, 0.0)
    end = np.radians(30)
    ratio = (ours[-1] - end) / (theirs[-1] - end)
    assert abs(ratio * (1 - 0.9) - 1) < 0.1, ratio


def test_rigid_is_the_default_and_a_pickle_keeps_the_choice():
    text = ONE.format(solver="")
    for soft in [False, True]:
        model = poinsot.loads(text, soft_limits=soft)
        for m in [model, pickle.loads(pickle.dumps(model))]:
            sim = poinsot.Simulation(m, v=[3.0])
            sim.step(2000)
            most = 0.0
            sim.reset()
            for _ in range(500):
                sim.step()
                most = max(most, sim.q[0] - np.radians(30))
            assert (most > 1e-3) == soft


def test_the_limits_of_the_humanoid_yield_as_mujocos():
    """Held by its trunk, with random velocities: its joints exceed their limits by about as much as in MuJoCo, and the mobilities agree."""
    files = [path for _, name, path in peers.files("dm_control", ".xml", b"mujoco", "suite") if name.endswith("humanoid.xml")]
    spec = mujoco.MjSpec.from_file(str(files[0]))
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    free = [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_FREE]
    for joint in free:
        spec.delete(joint)
    for camera in list(spec.cameras):
        spec.delete(camera)
    theirs = spec.compile()
    theirs.opt.timestep = 1e-3
    text, data = spec.to_xml(), mujoco.MjData(theirs)
    model = poinsot.loads(text, soft_limits=True)
    assert [theirs.joint(k).name for k in range(theirs.njnt)] == model.joint_names
    mobility = np.diag(np.linalg.inv(model.mass_matrix(model.qpos0)))
    assert np.allclose(mobility, theirs.dof_invweight0, rtol=1e-5)
    v = np.random.default_rng(1).uniform(-4, 4, theirs.nv)
    data.qvel[:] = v
    sim = poinsot.Simulation(model, 1e-3, "semi-implicit", q=model.qpos0, v=v)
    low, high = theirs.jnt_range.T
    deepest = np.zeros((2, theirs.nv))
    for _ in range(300):
        mujoco.mj_step(theirs, data)
        sim.step()
        for beyond, q in zip(deepest, [sim.q, data.qpos]):
            np.maximum(beyond, np.maximum(q - high, low - q), out=beyond)
    ours, other = deepest
    assert other.max() > 0.01, "limits yield"
    assert np.abs(sim.q - data.qpos).max() < 0.03
    assert np.abs(ours - other).max() < 0.5 * other.max(), (ours, other)
