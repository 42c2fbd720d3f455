"""Motion from energies given as text, and hierarchies that stretch."""

import numpy as np
import poinsot
import pytest

PENDULUM = dict(
    kinetic="0.5*m*l^2*th_dot^2", potential="-m*g*l*cos(th)", parameters=dict(m=2.0, l=0.5, g=9.81)
)


def test_quantities():
    pendulum = poinsot.Lagrangian(["th"], **PENDULUM)
    assert pendulum.coordinates == ["th"]
    assert pendulum.momentum([0.3], [2.0])[0] == pytest.approx(2.0 * 0.25 * 2.0, abs=1e-15)
    assert pendulum.velocity([0.3], [1.0])[0] == pytest.approx(2.0, abs=1e-14)
    assert pendulum.metric([0.3]) == pytest.approx(np.array([[0.5]]))
    assert pendulum.acceleration([0.3], [1.0])[0] == pytest.approx(-9.81 / 0.5 * np.sin(0.3), abs=1e-12)
    assert pendulum.acceleration([0.0], [0.0], tau=[3.0])[0] == pytest.approx(6.0, abs=1e-12)
    assert pendulum.force([0.3])[0] == pytest.approx(-9.81 * np.sin(0.3), abs=1e-12)
    assert pendulum.fictitious_force([0.3], [1.0])[0] == 0.0
    assert pendulum.euler_lagrange([0.3], [1.0], pendulum.acceleration([0.3], [1.0]))[0] == pytest.approx(0, abs=1e-12)
    energy = pendulum.kinetic_energy([0.3], [1.0]) + pendulum.potential_energy([0.3])
    assert pendulum.energy([0.3], [1.0]) == pytest.approx(energy, abs=1e-14)
    assert pendulum.lagrangian([0.3], [1.0]) == pytest.approx(energy - 2 * pendulum.potential_energy([0.3]), abs=1e-14)


@pytest.mark.parametrize("method", ["variational-4", "midpoint", "verlet", "rk4", "semi-implicit"])
def test_methods(method):
    spring = poinsot.Lagrangian(["x"], "0.5*x_dot^2", "0.5*x^2")
    path = spring.simulate([1.0], [0.0], 1e-3, 1000, method=method)
    assert len(path) == 1001 and path.q.shape == (1001, 1)
    assert path.q[-1, 0] == pytest.approx(np.cos(1.0), abs=1e-3)
    assert path.time[-1] == pytest.approx(1.0)
    assert spring.action(path.q, 1e-3) == pytest.approx(-0.25 * np.sin(2.0), abs=1e-3)
    assert np.abs(spring.first_variation(path.q, 1e-3)).max() < 1e-5


@pytest.mark.parametrize(
    "arguments",
    [
        dict(coordinates=[]),
        dict(coordinates=["x"], kinetic="x_dot^"),
        dict(coordinates=["x"], kinetic="y"),
        dict(coordinates=["x"], potential="x_dot"),
        dict(coordinates=["sin"]),
        dict(coordinates=["x"], kinetic="(" * 5000),
        dict(coordinates=["x"], kinetic="__import__('os').system('ls')"),
        dict(coordinates=["x"], parameters=dict(m=float("nan"))),
        dict(coordinates=["x"], atoms=[(-1.0, "x", "0", "0")]),
    ],
)
def test_wrong_energies_are_refused(arguments):
    with pytest.raises(ValueError):
        poinsot.Lagrangian(**arguments)


def test_wrong_arguments_are_refused():
    pendulum = poinsot.Lagrangian(["th"], **PENDULUM)
    for call in [
        lambda: pendulum.momentum([0.1, 0.2], [0.0]),
        lambda: pendulum.momentum([np.nan], [0.0]),
        lambda: pendulum.simulate([0.1], [0.0], 0.0, 10),
        lambda: pendulum.simulate([0.1], [0.0], 0.1, 10, method="magic"),
        lambda: pendulum.action([[0.1, 0.2]], 0.1),
        lambda: pendulum.action([[0.1], [0.2]], 0.1, rule="magic"),
    ]:
        with pytest.raises(ValueError):
            call()
    massless = poinsot.Lagrangian(["x"], potential="x")
    with pytest.raises(poinsot.StepError):
        massless.acceleration([0.0], [0.0])


def test_hierarchy():
    strip = poinsot.AffineHierarchy()
    strip.node("a", motions=["turn y", "stretch x"])
    strip.solid("a", "box", [1.0, 0.2, 0.1], 0.5, at=[0.5, 0, 0])
    strip.spring("a", 1, 200.0, rest=1.0)
    strip.node("b", "a", at=[1, 0, 0], motions=["turn y", "shear x z", "scale"])
    strip.solid("b", "sphere", [0.2], 0.5)
    assert (strip.nq, strip.nv, strip.nodes) == (5, 5, ["world", "a", "b"])
    assert strip.rest() == pytest.approx([0, 1, 0, 0, 1])
    rng = np.random.default_rng(1)
    q, v, a = strip.rest() + 0.1 * rng.standard_normal(5), rng.standard_normal(5), rng.standard_normal(5)
    tau = strip.inverse_dynamics(q, v, a)
    tau[1] += 200.0 * (q[1] - 1.0)
    assert strip.forward_dynamics(q, v, tau) == pytest.approx(a, abs=1e-10)
    assert 0.5 * v @ strip.mass_matrix(q) @ v == pytest.approx(strip.kinetic_energy(q, v), abs=1e-13)
    by_q, by_v, by_a, by_lambda = strip.jacobians(q, v, a, [])
    assert by_a == pytest.approx(strip.mass_matrix(q), abs=1e-13)
    h = 1e-6
    step = np.eye(5)[0] * h
    slope = (strip.residual(q + step, v, a, []) - strip.residual(q - step, v, a, [])) / (2 * h)
    assert by_q[:, 0] == pytest.approx(slope, abs=1e-6) and by_v.shape == (5, 5) and by_lambda.shape == (5, 0)
    p, l = strip.momentum(q, v)
    assert p.shape == l.shape == (3,)


def test_wrong_hierarchies_are_refused():
    tree = poinsot.AffineHierarchy()
    tree.node("a", motions=["scale"])
    for call in [
        lambda: tree.node("a"),
        lambda: tree.node("b", "c"),
        lambda: tree.node("b", motions=["fly"]),
        lambda: tree.node("b", motions=["turn 0,0,0"]),
        lambda: tree.solid("a", "cone", [1], 1.0),
        lambda: tree.solid("a", "sphere", [-1.0], 1.0),
        lambda: tree.spring("a", 3, 1.0),
        lambda: tree.hold_volume("a", -1.0),
        lambda: tree.energy([1.0, 2.0], [0.0]),
        lambda: tree.simulate([1.0, 2.0], [0.0], 0.1, 1),
    ]:
        with pytest.raises(ValueError):
            call()
    with pytest.raises(poinsot.StepError, match="moves no mass"):
        tree.forward_dynamics([1.0], [0.0])


def double_pendulum(q, v):
    """K by a loop over the points: the velocity of each is a sum over the rods above it."""
    x = y = kinetic = 0.0
    for angle, rate in zip(q, v):
        x, y = x + np.cos(angle) * rate, y + np.sin(angle) * rate
        kinetic = kinetic + 0.5 * (x**2 + y**2)
    return kinetic


def test_energies_as_functions():
    traced = poinsot.lagrangian(["a", "b"], double_pendulum, lambda q: -9.81 * (2 * np.cos(q)[0] + np.cos(q[1])))
    written = poinsot.Lagrangian(
        ["a", "b"], "a_dot^2 + 0.5*b_dot^2 + a_dot*b_dot*cos(a - b)", "-9.81*(2*cos(a) + cos(b))"
    )
    q, v = [0.4, -1.1], [0.7, 0.3]
    assert traced.acceleration(q, v) == pytest.approx(written.acceleration(q, v), rel=1e-13)
    assert traced.metric(q) == pytest.approx(written.metric(q), rel=1e-13)
    # vectors, a constraint, atoms, a potential per kilogram
    bead = poinsot.lagrangian(
        ["x", "y"], lambda q, v: 0.5 * v @ v, lambda q: 9.81 * q[1], constraints=[lambda q: np.sqrt(q @ q) - 1]
    )
    assert bead.acceleration([0, -1], [2, 0]) == pytest.approx([0, 4], abs=1e-12)
    atom = poinsot.lagrangian(["th"], atoms=[(2.0, lambda q: (np.sin(q[0]), 0, -np.cos(q[0])))], density=lambda x, y, z: 9.81 * z)
    assert atom.acceleration([0.5], [0.3]) == pytest.approx([-9.81 * np.sin(0.5)])
    import math

    for wrong in [lambda q, v: math.sin(q[0]), lambda q, v: v[0] if q[0] > 0 else 0.0, lambda q, v: np.abs(v[0])]:
        with pytest.raises(TypeError):
            poinsot.lagrangian(["x"], wrong)


ROTOR = "0.5*(body_wx^2 + 2*body_wy^2 + 3*body_wz^2)"


def test_on_rotations_the_wrong_equation_loses_the_momentum_in_space():
    rotor = poinsot.GroupLagrangian({"body": "rotation"}, ROTOR)
    assert rotor.factors == ["body"]
    assert rotor.acceleration([1, 2, 3]) == pytest.approx([-6, 3, -2 / 3], abs=1e-14)  # Euler's equations
    right, wrong = (
        rotor.simulate([0.3, 1.0, 0.2], 1e-2, 1000, equation=e) for e in ("euler-poincare", "without-bracket")
    )
    lost = [np.linalg.norm(path.spatial_momentum[-1] - path.spatial_momentum[0]) for path in (right, wrong)]
    assert lost[0] < 1e-8 and lost[1] > 0.5
    assert abs(right.energy - right.energy[0]).max() < 1e-9
    # the wrong equation keeps the momentum in body axes, the right one does not
    assert abs(wrong.p - wrong.p[0]).max() < 1e-12 and np.ptp(right.p, axis=0).max() > 0.1
    assert right.g.shape == (1001, 1, 7) and right.spatial_momentum.shape == (1001, 1, 6) and len(right) == 1001


def test_a_thrown_body_on_poses_moves_as_a_free_joint():
    # K of a body with its mass at its origin; a free joint moves along world axes, a pose along those of the body
    kinetic = "m/2*(b_vx^2 + b_vy^2 + b_vz^2) + 0.5*(0.3*b_wx^2 + 0.5*b_wy^2 + 0.6*b_wz^2)"
    body = poinsot.GroupLagrangian({"b": "pose"}, kinetic, "m*9.81*b_z", dict(m=2.0))
    g = [[0.1, 0.2, 1.0, 0.8, 0.6, 0.0, 0.0]]
    xi = np.array([2.0, -1.0, 0.5, 0.3, 0.1, -0.2])
    path = body.simulate(xi, 1e-3, 500, g=g)
    tree = poinsot.loads("""<mujoco><option gravity="0 0 -9.81"/><worldbody><body><freejoint/>
        <inertial pos="0 0 0" mass="2" diaginertia="0.3 0.5 0.6"/></body></worldbody></mujoco>""")
    turned = np.array([[1, 0, 0], [0, 0.28, -0.96], [0, 0.96, 0.28]])
    sim = poinsot.Simulation(tree, dt=1e-3, integrator="rkmk4", q=g[0], v=[*(turned @ xi[3:]), *xi[:3]])
    sim.step(500)
    assert path.g[-1, 0, :3] == pytest.approx(sim.q[:3], abs=1e-10)
    sign = np.sign(path.g[-1, 0, 3:] @ sim.q[3:])
    assert sign * path.g[-1, 0, 3:] == pytest.approx(sim.q[3:], abs=1e-10)
    inertial = body.covariant_force(xi, body.acceleration(xi, g), g)
    assert inertial == pytest.approx(body.force(g), abs=1e-12)
    assert body.metric(xi, g) == pytest.approx(np.diag([0.3, 0.5, 0.6, 2, 2, 2]), abs=1e-14)
    assert body.energy(xi, g) == pytest.approx(path.energy[0], abs=1e-14)


def test_wrong_groups_are_refused():
    rotor = poinsot.GroupLagrangian({"body": "rotation"}, ROTOR)
    for call in [
        lambda: poinsot.GroupLagrangian({}, "0"),
        lambda: poinsot.GroupLagrangian({"a": "torus"}, "0"),
        lambda: poinsot.GroupLagrangian({"a": "rotation"}, "a_vx^2"),
        lambda: poinsot.GroupLagrangian({"a": "shift"}, "a_vx^2", "a_vx"),
        lambda: rotor.simulate([1, 2], 1e-2, 10),
        lambda: rotor.simulate([1, 2, np.nan], 1e-2, 10),
        lambda: rotor.simulate([1, 2, 3], 0.0, 10),
        lambda: rotor.simulate([1, 2, 3], 1e-2, 10, equation="euler"),
        lambda: rotor.simulate([1, 2, 3], 1e-2, 10, g=[0, 0, 0, 0, 0, 0, 0]),
        lambda: rotor.simulate([1, 2, 3], 1e-2, 10, g=[0, 0, 0]),
    ]:
        with pytest.raises(ValueError):
            call()
    with pytest.raises(poinsot.StepError):
        poinsot.GroupLagrangian({"a": "shift"}, "a_vx^2").acceleration([1, 0, 0])
