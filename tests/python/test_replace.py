"""The same model with other numbers, and arrays that cannot be written to in vain."""

import pickle

import numpy as np
import pytest

import poinsot

TEXT = """<mujoco model="arm"><worldbody>
  <geom name="floor" type="plane" size="1 1 1"/>
  <body name="upper" pos="0 0 2"><joint name="shoulder" axis="0 1 0" damping="0.1"/>
    <geom name="rod" type="capsule" fromto="0 0 0 0 0 -0.5" size="0.05"/>
    <body name="lower" pos="0 0 -0.5"><joint name="elbow" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04"/></body>
  </body></worldbody></mujoco>"""


def arm(**attributes):
    text = TEXT
    for old, new in attributes.values():
        assert old in text
        text = text.replace(old, new)
    return poinsot.loads(text)


def test_a_replaced_model_is_the_model_that_a_file_with_these_numbers_has():
    model = arm()
    q, v, tau = [0.3, -0.8], [1.0, 2.0], [0.5, -0.2]
    # twice the density of the lower link is twice its mass, and its inertia
    heavy = model.replace(body_mass={"lower": 2 * model.body_mass[2]})
    same = arm(lower=('-0.5" size="0.04"', '-0.5" size="0.04" density="2000"'))
    assert np.allclose(heavy.mass_matrix(q), same.mass_matrix(q), rtol=1e-13)
    assert np.allclose(heavy.forward_dynamics(q, v, tau), same.forward_dynamics(q, v, tau), rtol=1e-12)
    assert np.array_equal(heavy.body_com, model.body_com) and heavy.body_mass[1] == model.body_mass[1]
    # by name, by number and by array
    doubled = model.body_mass * [1, 1, 2]
    for given in (doubled, {2: doubled[2]}, {"lower": doubled[2]}):
        assert np.array_equal(model.replace(body_mass=given).mass_matrix(q), heavy.mass_matrix(q))
    # gravity: the force is in proportion
    assert np.allclose(model.replace(gravity_vector=[0, 0, -1.62]).gravity(q), model.gravity(q) * 1.62 / 9.81, rtol=1e-13)
    # joints: the motion is that of the file with these numbers
    joints = model.replace(joint_damping={"elbow": 0.3}, joint_armature=[0.0, 0.02], joint_stiffness={"shoulder": 5}, joint_friction=[0.01, 0])
    written = arm(
        elbow=('name="elbow"', 'name="elbow" damping="0.3" armature="0.02"'),
        shoulder=('name="shoulder"', 'name="shoulder" stiffness="5" frictionloss="0.01"'),
    )
    sims = [poinsot.Simulation(m, q=q, v=v) for m in (joints, written)]
    for sim in sims:
        sim.step(200)
    assert np.array_equal(sims[0].q, sims[1].q)
    assert joints.joint_damping.tolist() == [0.1, 0.3] and joints.joint_friction.tolist() == [0.01, 0]
    # and the original has not changed
    assert model.joint_damping.tolist() == [0.1, 0.0] and model.body_mass[2] * 2 == heavy.body_mass[2]


def test_centres_and_moments():
    model = arm()
    changed = model.replace(body_com={"lower": [0.01, 0, -0.2]}, body_inertia={"lower": np.diag([0.02, 0.03, 0.015])})
    assert np.allclose(changed.body_com[2], [0.01, 0, -0.2]) and np.allclose(changed.body_inertia[2], np.diag([0.02, 0.03, 0.015]))
    assert np.array_equal(changed.body_mass, model.body_mass)
    # what is there already changes nothing, not even a bit
    same = model.replace(body_mass=model.body_mass, body_com=model.body_com, body_inertia=model.body_inertia)
    assert np.array_equal(same.mass_matrix([0.3, -0.8]), model.mass_matrix([0.3, -0.8]))


def test_friction_decides_whether_a_box_slides():
    text = """<mujoco><option gravity="3 0 -9.81"/><worldbody><geom name="floor" type="plane" size="1 1 1"/>
      <body name="box" pos="0 0 0.1"><freejoint/><geom name="skin" type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    model = poinsot.loads(text)
    slippery = model.replace(geom_friction={"floor": 0.1, "skin": 0.1})
    assert slippery.geom_friction[:, 0].tolist() == [0.1, 0.1] and slippery.geom_friction[0, 1] == model.geom_friction[0, 1]
    far = []
    for m in (model, slippery, model.replace(geom_friction=np.full(2, 0.1)), model.replace(geom_friction=model.geom_friction * [0.1, 1, 1])):
        sim = poinsot.Simulation(m)
        sim.run(1.0)
        far.append(sim.q[0])
    slides = 0.5 * (3 - 0.1 * 9.81)
    assert abs(far[0]) < 1e-6 and np.allclose(far[1:], slides, rtol=5e-3)
    ball = poinsot.loads(text.replace('type="box" size="0.1 0.1 0.1"', 'size="0.1"'))
    assert ball.replace(geom_restitution={"floor": 0.5, "skin": 0.5}).geom_restitution.tolist() == [0.5, 0.5]


def test_what_no_body_has_is_refused_by_name():
    model = arm()
    for arguments, error, text in [
        (dict(body_mass={"lower": -1.0}), poinsot.ModelError, 'body "lower".*negative'),
        (dict(body_mass=[1.0, 2.0]), ValueError, r"body_mass has the shape \[2\]; give \[3\]"),
        (dict(body_mass={"lowr": 1.0}), ValueError, 'there is no body "lowr"; did you mean "lower"'),
        (dict(joint_damping={5: 1.0}), ValueError, "5 is not a joint; give a name, or a number from 0 to 1"),
        (dict(joint_damping={"elbow": -1.0}), poinsot.ModelError, 'joint "elbow".*damping'),
        (dict(joint_damping={"elbow": np.nan}), ValueError, "joint_damping has NaN"),
        (dict(body_inertia={"lower": np.diag([1.0, 1.0, 3.0])}), poinsot.ModelError, 'body "lower".*triangle'),
        (dict(body_inertia={"lower": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}), poinsot.ModelError, "not symmetric"),
        (dict(geom_restitution={"floor": 2.0}), poinsot.ModelError, "restitution"),
        (dict(gravity_vector=[0, 0]), ValueError, r"gravity_vector has the shape \[2\]; give \[3\]"),
        (dict(mass=3), TypeError, "unexpected keyword"),
    ]:
        with pytest.raises(error, match=text):
            model.replace(**arguments)


def test_writing_to_a_model_is_an_error():
    model = arm()
    names = "body_mass body_com body_inertia joint_damping joint_stiffness joint_friction joint_armature geom_friction geom_restitution"
    for name in [*names.split(), "gravity_vector", "joint_ranges", "actuator_ranges", "qpos0"]:
        with pytest.raises(ValueError, match="read-only"):
            getattr(model, name)[...] = 1.0
        with pytest.raises(AttributeError, match=name):
            setattr(model, name, 1.0)
    with pytest.raises(TypeError, match="item assignment"):
        model.geoms[0]["restitution"] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        model.geoms[0]["friction"][0] = 1.0


def test_a_replaced_model_keeps_the_rest_and_pickles():
    model = poinsot.scene("humanoid")
    light = model.replace(body_mass=model.body_mass * 0.5, gravity_vector=[0, 0, -3.7]).replace(joint_damping={0: 0.0})
    assert (light.timestep, light.integrator, light.nu) == (model.timestep, model.integrator, model.nu)
    again = pickle.loads(pickle.dumps(light))
    assert np.array_equal(again.body_mass, light.body_mass) and np.array_equal(again.gravity_vector, light.gravity_vector)
    sims = [poinsot.Simulation(m) for m in (light, again)]
    for sim in sims:
        sim.step(50)
    assert np.array_equal(sims[0].q, sims[1].q)
    assert light.replace().body_mass.sum() == light.body_mass.sum()
