"""Derivatives of kinematics, centroidal momentum, reactions and whole steps."""

import numpy as np
import pytest

import poinsot


def differences(model, q, v, f, h=1e-5):
    """f by q along the velocities, and by v; central differences of fourth order."""

    def columns(shifted):
        slope = lambda k, h: (f(*shifted(k, h)) - f(*shifted(k, -h))) / (2 * h)
        return np.stack([(4 * slope(k, h) - slope(k, 2 * h)) / 3 for k in range(model.nv)], axis=-1)

    e = np.eye(model.nv)
    return columns(lambda k, h: (model.integrate(q, e[k], h), v)), columns(lambda k, h: (q, v + h * e[k]))


@pytest.mark.parametrize("scene", ["double-pendulum", "ragdoll"])
def test_kinematics_centroidal_and_reactions(scene):
    model = poinsot.scene(scene)
    rng = np.random.default_rng(3)
    q = model.integrate(poinsot.Simulation(model).q, rng.normal(size=model.nv), 0.5)
    v, a = rng.normal(size=model.nv), rng.normal(size=model.nv)
    body = model.nbody - 1
    dv_dq, da_dq, da_dv = model.kinematics_derivatives(q, v, a, body)
    expected, _ = differences(model, q, v, lambda q, v: model.jacobian(q, body) @ v)
    np.testing.assert_allclose(dv_dq, expected, atol=1e-8 * (1 + abs(expected).max()))
    assert da_dq.shape == da_dv.shape == (6, model.nv)
    d = model.centroidal_derivatives(q, v, a)
    h = lambda q, v: model.centroidal_derivatives(q, v, 0 * a)["dh_dv"] @ v
    dh_dq, dh_dv = differences(model, q, v, h)
    np.testing.assert_allclose(d["dh_dq"], dh_dq, atol=1e-8 * (1 + abs(dh_dq).max()))
    np.testing.assert_allclose(d["dh_dv"], dh_dv, atol=1e-8 * (1 + abs(dh_dv).max()))
    # reactions are linear in the accelerations, and those by a do not depend on v
    _, _, by_a = model.reaction_derivatives(q, v, a, body)
    np.testing.assert_allclose(by_a, model.reaction_derivatives(q, 0 * v, 0 * a, body)[2], atol=1e-12)
    many = model.kinematics_derivatives(np.stack([q, q]), np.stack([v, v]), np.stack([a, a]), body)
    np.testing.assert_array_equal(many[1][1], da_dq)


def test_a_smooth_step_has_the_derivatives_of_its_formula():
    model = poinsot.scene("double-pendulum")
    sim = poinsot.Simulation(model, integrator="semi-implicit", dt=0.01)
    q, v, before = sim.q.copy(), sim.v.copy(), sim.snapshot()
    d = sim.step_derivatives()
    assert d["differentiable"] and d["kinks"] == [] and d["error"] < 1e-9
    np.testing.assert_array_equal(sim.q, q)
    da_dq, da_dv, da_dtau = model.forward_dynamics_derivatives(q, v, np.zeros(2))
    h, one, zero = 0.01, np.eye(2), np.zeros((2, 2))
    lower = np.hstack([h * da_dq, one + h * da_dv])
    np.testing.assert_allclose(d["A"], np.vstack([np.hstack([one, zero]) + h * lower, lower]), atol=1e-10)
    np.testing.assert_allclose(d["F"], np.vstack([h * h * da_dtau, h * da_dtau]), atol=1e-10)
    sim.step()
    np.testing.assert_array_equal(d["q"], sim.q)
    sim.restore(before)


BLOCK = """<mujoco><option gravity="0 0 -9.81" timestep="0.01"/><worldbody><geom type="plane" size="9 9 1" friction="0.5 0 0"/>
<body pos="0 0 0.1"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
<geom type="box" size="0.1 0.1 0.1" mass="2" friction="0.5 0 0"/></body></worldbody></mujoco>"""


def block(v):
    return poinsot.Simulation(poinsot.loads(BLOCK), integrator="semi-implicit", dt=0.01, v=v)


def test_contacts_that_slide_and_stick():
    sliding = block([1.0, 0.0])
    sliding.step()
    d = sliding.step_derivatives()
    # at a gap of 0 a block that is moved up falls back within the step, one that is moved into the floor is not
    assert d["kinks"] == [('q of joint "z"', "a contact that rests opens on one side")]
    # friction is constant: what is faster stays faster by as much, and a push adds h/m
    assert d["A"][2, 2] == pytest.approx(1, abs=1e-6) and d["F"][2, 0] == pytest.approx(0.01 / 2, abs=1e-6)
    # a push downwards is a push more of friction
    assert d["F"][2, 1] == pytest.approx(0.5 * 0.01 / 2, abs=1e-6) and d["F"][3, 1] == pytest.approx(0, abs=1e-6)
    sticking = block([0.0, 0.0])
    sticking.step()
    d = sticking.step_derivatives()
    assert d["F"][2:, :] == pytest.approx(np.zeros((2, 2)), abs=1e-6)
