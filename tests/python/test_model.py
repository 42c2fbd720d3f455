"""A model and its dynamics, as Python sees them."""

import copy
import pickle

import numpy as np
import pytest

import poinsot

ARM = """<mujoco model="arm">
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" range="-90 90" limited="true"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/>
      <body name="lower" pos="0 0 -.5">
        <joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".04"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="shoulder" gear="2"/></actuator>
  <keyframe><key name="bent" qpos="1 -1"/><key qpos=".5 .5" ctrl=".3"/></keyframe>
</mujoco>"""


@pytest.fixture(params=["dzhanibekov", "double-pendulum", "ball-chain", "humanoid", "chain:30"])
def model(request):
    return poinsot.scene(request.param)


def states(model, count=11):
    random = np.random.default_rng(0)
    q = np.stack([model.random_configuration(k) for k in range(count)])
    return q, random.normal(size=(count, model.nv)), random.normal(size=(count, model.nv))


def test_sizes(model):
    assert model.nbody == len(model.body_names) == len(model.body_mass) == len(model.body_parent)
    assert model.njnt == len(model.joint_names) == len(model.joint_types) == len(model.joint_ranges)
    assert model.qpos0.shape == (model.nq,)
    assert model.body_com.shape == (model.nbody, 3) and model.body_inertia.shape == (model.nbody, 3, 3)
    assert model.body_names[0] == "world" and model.body_parent[0] == 0
    assert model.mass == pytest.approx(model.body_mass.sum(), rel=1e-14)
    assert repr(model).startswith("<poinsot.Model \"")


def test_the_dynamics_agree_with_each_other(model):
    (q, v, a) = (x[0] for x in states(model))
    mass, bias = model.mass_matrix(q), model.bias(q, v)
    force = model.inverse_dynamics(q, v, a)
    scale = np.abs(force).max() + 1
    assert np.abs(mass - mass.T).max() == 0
    assert np.abs(mass @ a + bias - force).max() < 1e-12 * scale
    assert np.abs(model.forward_dynamics(q, v, force) - a).max() < 1e-9
    assert model.kinetic_energy(q, v) == pytest.approx(v @ mass @ v / 2, rel=1e-12)
    assert np.allclose(model.gravity(q), model.bias(q, 0 * v), atol=1e-12 * scale)
    momentum = model.momentum(q, v)
    linear = sum(
        m * (j[3:] + np.cross(j[:3].T, r @ c).T) @ v
        for m, c, j, r in zip(
            model.body_mass,
            model.body_com,
            (model.jacobian(q, k) for k in range(model.nbody)),
            model.forward_kinematics(q)[1],
        )
    )
    assert np.abs(momentum[3:] - linear).max() < 1e-10 * scale


def test_a_jacobian_is_the_derivative_of_the_pose(model):
    q, v, _ = (x[0] for x in states(model))
    h, body = 1e-6, model.body_names[-1]
    (p0, r0), (p1, r1) = (model.forward_kinematics(model.integrate(q, v, s * h)) for s in (-1, 1))
    speed = (p1 - p0)[-1] / (2 * h)
    spin = (r1 - r0)[-1] / (2 * h) @ model.forward_kinematics(q)[1][-1].T
    got = model.jacobian(q, body) @ v
    assert np.abs(got[3:] - speed).max() < 1e-6 * (1 + np.abs(speed).max())
    assert np.abs(got[:3] - [spin[2, 1], spin[0, 2], spin[1, 0]]).max() < 1e-6 * (1 + np.abs(spin).max())
    assert np.array_equal(model.jacobian(q, body), model.jacobian(q, model.nbody - 1))


def test_integrate_and_difference_are_inverse(model):
    q, v, _ = (x[0] for x in states(model))
    there = model.integrate(q, v, 0.1)
    assert np.abs(model.difference(q, there) - 0.1 * v).max() < 1e-12


def test_rows_give_the_same_bits_as_single_states(model):
    q, v, a = states(model, 19)
    for call in [
        lambda q, v, a: model.inverse_dynamics(q, v, a),
        lambda q, v, a: model.forward_dynamics(q, v, a),
        lambda q, v, a: model.mass_matrix(q),
        lambda q, v, a: model.bias(q, v),
        lambda q, v, a: model.gravity(q),
        lambda q, v, a: model.kinetic_energy(q, v),
        lambda q, v, a: model.potential_energy(q),
        lambda q, v, a: model.com(q),
        lambda q, v, a: model.momentum(q, v),
        lambda q, v, a: model.jacobian(q, 1),
        lambda q, v, a: model.forward_kinematics(q)[0],
        lambda q, v, a: model.forward_kinematics(q)[1],
        lambda q, v, a: model.integrate(q, v, 0.1),
        lambda q, v, a: model.difference(q, q[::-1] if q.ndim == 2 else q)[..., :0],
    ]:
        many = call(q, v, a)
        assert np.array_equal(many, np.stack([call(*one) for one in zip(q, v, a)]))
    # a single vector goes with every row
    assert np.array_equal(model.bias(q, v[0]), model.bias(q, np.tile(v[0], (19, 1))))


def test_anything_numpy_understands_is_numbers():
    model = poinsot.scene("double-pendulum")
    want = model.mass_matrix(np.array([1.0, 2.0]))
    strided, swapped = np.array([1.0, 9.0, 2.0])[::2], np.array([1.0, 2.0], dtype=">f8")
    for q in [[1, 2], (1.0, 2.0), np.array([1, 2]), np.array([1, 2], dtype=np.float32), strided, swapped]:
        assert np.array_equal(model.mass_matrix(q), want)
    columns = np.asfortranarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert np.array_equal(model.mass_matrix(columns)[0], want)


def test_wrong_input_is_refused_in_words():
    model = poinsot.scene("humanoid")
    q, v = model.qpos0, np.zeros(model.nv)
    bad = q.copy()
    bad[20] = np.nan
    for wrong, error, words in [
        (q[:3], ValueError, r"q has 3 numbers, the model has nq = 37: give one number for each coordinate"),
        (q[:36], ValueError, r"q has 36 numbers, the model has nq = 37: the model has quaternions"),
        (bad, ValueError, r'q\[20\] is NaN: the position of joint "left_upper_arm_1" must be a finite number'),
        (np.stack([q, bad]), ValueError, r"q\[1, 20\] is NaN"),
        (q * 0, ValueError, r'quaternion of joint "pelvis_joint" is 0'),
        (q[None, None], ValueError, r"q has 3 dimensions"),
        (q + 1j, TypeError, r"q must be real numbers, not complex128"),
        ("now", TypeError, r"q must be real numbers"),
    ]:
        with pytest.raises(error, match=words):
            model.mass_matrix(wrong)
    with pytest.raises(ValueError, match=r"v has 37 numbers, the model has nv = 36"):
        model.bias(q, q)
    with pytest.raises(ValueError, match=r'v\[0\] is inf: the velocity of joint "pelvis_joint" component 0'):
        model.bias(q, v + np.inf)
    with pytest.raises(ValueError, match="q has 2 rows, but v has 3"):
        model.bias(np.stack([q] * 2), np.stack([v] * 3))
    with pytest.raises(ValueError, match='there is no body "haed"; did you mean "head"'):
        model.jacobian(q, "haed")
    with pytest.raises(IndexError, match="there is no body number 99"):
        model.jacobian(q, 99)
    with pytest.raises(ValueError, match='did you mean "humanoid"'):
        poinsot.scene("humanid")


def test_a_model_from_text():
    model = poinsot.loads(ARM)
    assert (model.name, model.nq, model.nv, model.nu) == ("arm", 2, 2, 1)
    assert model.joint_names == ["shoulder", "elbow"] and model.body_names == ["world", "upper", "lower"]
    assert model.actuator_names == ["push"] and model.joint_types == ["revolute", "revolute"]
    assert model.joint_ranges[0] == pytest.approx([-np.pi / 2, np.pi / 2])
    assert np.array_equal(model.joint_ranges[1], [-np.inf, np.inf])
    assert list(model.keyframes) == ["bent", "key1"]
    assert np.array_equal(model.keyframes["bent"]["qpos"], [1, -1])
    assert np.array_equal(model.keyframes["key1"]["ctrl"], [0.3])
    assert model.timestep == 0.002 and np.array_equal(model.gravity_vector, [0, 0, -9.81])


def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path):
    model = poinsot.loads(ARM.replace('axis="0 1 0"/>', 'axis="0 1 0" dampng="1"/>'), "bad.xml")
    (warning,) = [d for d in model.diagnostics if "dampng" in d.message]
    assert (warning.severity, warning.file, warning.line) == ("warning", "bad.xml", 7)
    assert "damping" in (warning.help or warning.message)
    broken = tmp_path / "broken.xml"
    broken.write_text("<mujoco>\n  <worldbody>\n")
    with pytest.raises(poinsot.ModelError, match="broken.xml:") as caught:
        poinsot.load(broken)
    assert isinstance(caught.value, poinsot.PoinsotError)
    (error,) = caught.value.diagnostics
    assert error.severity == "error" and error.file == str(broken)
    assert error.message in str(caught.value) and pickle.loads(pickle.dumps(caught.value.diagnostics))
    with pytest.raises(poinsot.ModelError, match="cannot read"):
        poinsot.load(tmp_path / "nowhere.xml")


def test_copies(tmp_path):
    file = tmp_path / "arm.xml"
    file.write_text(ARM)
    for model in [poinsot.scene("humanoid"), poinsot.loads(ARM), poinsot.load(file)]:
        again = pickle.loads(pickle.dumps(model))
        q = model.random_configuration(1)
        assert np.array_equal(again.mass_matrix(q), model.mass_matrix(q))
        assert copy.deepcopy(model) is model


def test_geoms():
    upper, lower = poinsot.loads(ARM).geoms
    assert (upper["body"], lower["body"], upper["type"], upper["role"]) == ("upper", "lower", "capsule", "both")
    assert np.allclose(upper["size"], [0.05, 0.5]) and np.allclose(upper["position"], [0, 0, -0.25])
    assert (upper["contype"], upper["condim"], list(upper["friction"])) == (1, 3, [1, 0.005, 0.0001])
    pelvis = poinsot.scene("humanoid").geoms[0]
    assert (pelvis["body"], pelvis["type"], pelvis["rgba"]) == ("pelvis", "box", None)


def test_quantities_of_the_sources():
    model = poinsot.scene("double-pendulum")
    q, v = [0.3, -0.5], [1.0, 2.0]
    assert np.allclose(model.lagrangian_force(q, [0, 0]), -model.gravity(q), atol=1e-12)
    assert model.mass_tensor("rod2")[3].tolist() == [0, 0, -1, 1]
    blocks = poinsot.scene("two-blocks")
    kkt = blocks.kkt([0, 0, 0, 1, 0, 0, 0] * 2, np.arange(12.0))
    assert kkt["matrix"].shape == (15, 15) and kkt["accelerations"] == 12 and len(kkt["names"]) == 15
    assert np.allclose(kkt["matrix"] @ kkt["solution"], kkt["rhs"], atol=1e-9)
    with pytest.raises(ValueError, match="no body"):
        model.mass_tensor("rod9")
