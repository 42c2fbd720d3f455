"""Strange input: every mistake is an exception that names the thing; nothing panics, hangs or is passed over in silence."""

import json
import pickle
import threading

import numpy as np
import pytest

import poinsot

NAN, INF = float("nan"), float("inf")


def builder():
    b = poinsot.ModelBuilder("m")
    b.body("a", mass=1.0, inertia=[1, 1, 1])
    b.joint("a", "revolute", axis=(0, 0, 1), name="j")
    return b


def made(call):
    """What a call on a new builder makes, built."""
    b = builder()
    call(b)
    return b.build()


BUILDER = [
    # a mistake, and words that the message must have
    (lambda b: b.body("c", mass=NAN), ["c", "mass", "finite"]),
    (lambda b: b.body("c", mass=-1), ["c", "mass", "negative"]),
    (lambda b: b.body("c", mass=1, inertia=np.zeros((2, 2))), ["c", "inertia", "3x3"]),
    (lambda b: b.body("c", mass=1, inertia=np.zeros((3, 3, 3))), ["c", "inertia"]),
    (lambda b: b.body("c", mass=1, inertia=[1, 1, NAN]), ["c", "inertia", "NaN"]),
    (lambda b: b.body("c", mass=1, inertia=[1, 1, 10]), ["c", "triangle"]),
    (lambda b: b.body("c", mass=1, inertia="abc"), ["c", "inertia"]),
    (lambda b: b.body("c", com=(0, 0, 0)), ["c", "mass"]),
    (lambda b: b.body("c", "nobody"), ["c", "nobody"]),
    (lambda b: b.body("c", "c"), ["there is no body", "c"]),
    (lambda b: b.body("c", 7), ["c", "body 7"]),
    (lambda b: b.body("c", 1.5), ["c", "name or number"]),
    (lambda b: b.body("c", pos=(1, 2)), ["c", "pos", "2 numbers", "give 3"]),
    (lambda b: b.body("c", pos=[[1, 2, 3]]), ["c", "pos", "1 rows"]),
    (lambda b: b.body("c", quat=(0, 0, 0, 0)), ["c", "quat"]),
    (lambda b: b.body("a", mass=1), ["two bodies", "a"]),
    (lambda b: b.body("world", mass=1), ["world"]),
    (lambda b: b.solid("a", "sphere", 1, radius=-1), ["a", "radius", "positive"]),
    (lambda b: b.solid("a", "sphere", 1, radius="x"), ["a", "radius", "number"]),
    (lambda b: b.solid("a", "box", 1, size=(1, 2)), ["a", "size", "give 3"]),
    (lambda b: b.solid("a", "sphere", NAN, radius=1), ["a", "mass"]),
    (lambda b: b.solid("a", "ball", 1, radius=1), ["ball", "sphere"]),
    (lambda b: b.solid("a", "sphere", 1, radius=1, lenght=2), ["lenght"]),
    (lambda b: b.joint("aa", "free"), ["aa", 'did you mean "a"']),
    (lambda b: b.joint("world", "free"), ["world"]),
    (lambda b: b.joint("a", "hinge", axis=(0, 0, 1)), ["hinge", "revolute"]),
    (lambda b: b.joint("a", "revolute"), ["axis"]),
    (lambda b: b.joint("a", "revolute", axis=(0, 0, 0)), ["axis", "direction"]),
    (lambda b: b.joint("a", "revolute", axis=(0, 0, 1), dampign=3), ["dampign", "did you mean damping"]),
    (lambda b: b.joint("a", "revolute", axis=(0, 0, 1), name="j"), ["two joints", "j"]),
    (lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), limits=(2, 1)), ["limit", "2"]),
    (lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), limits=(NAN, 1)), ["limits", "NaN"]),
    (lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), limits=(1, 2, 3)), ["limits", "3 numbers"]),
    (lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), limits=1), ["limits"]),
    (lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), damping=NAN), ["damping", "NaN"]),
    (lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), limits=(0, 1), restitution=2), ["restitution"]),
    (lambda b: b.tendon({}), ["tendon 0", "no joints"]),
    (lambda b: b.tendon({"k": 1.0}), ["tendon 0", "k"]),
    (lambda b: b.tendon({"j": "x"}), ["tendon 0", "j", "number"]),
    (lambda b: b.tendon({"j": NAN}), ["tendon0", "j"]),
    (lambda b: b.actuator(), ["actuator 0", "joint"]),
    (lambda b: b.actuator("servo", joint="j"), ["servo", "position"]),
    (lambda b: b.actuator(joint="j", gear=[1] * 5), ["gear", "give 6"]),
    (lambda b: b.actuator(joint="j", gain=NAN), ["actuator0", "finite"]),
    (lambda b: b.actuator(joint="j", ctrl_range=(1, -1)), ["control range"]),
    (lambda b: b.actuator(joint="j", dynamics="filter", time_constant=0.0), ["time constant"]),
    (lambda b: b.constraint("glue", "a", "world"), ["glue", "weld", "revolute"]),
    (lambda b: b.constraint("weld", "a", "a"), ["a", "itself"]),
    (lambda b: b.constraint("distance", "a", "world", length=NAN), ["length", "NaN"]),
    (lambda b: b.constraint("distance", "a", "world"), ["length"]),
    (lambda b: b.constraint("weld", "a", "world", stiffness=-1.0), ["stiffness"]),
    (lambda b: b.constraint("gear", "j", "j", ratio=1.0), ["itself"]),
    (lambda b: b.medium(density=NAN), ["density"]),
]


@pytest.mark.parametrize("call, words", BUILDER)
def test_a_builder_names_what_is_wrong(call, words):
    with pytest.raises((ValueError, TypeError, poinsot.ModelError)) as error:
        made(call)
    assert all(word in str(error.value) for word in words), error.value


def test_what_is_strange_but_right_is_taken():
    assert made(lambda b: b.joint("a", "prismatic", axis=(1, 0, 0), limits=(0, INF))).nv == 2
    model = made(lambda b: b.body("tilted", "a", quat=(1e200, 1e200, 0, 0), mass=1, inertia=[1, 1, 1]))
    other = made(lambda b: b.body("tilted", "a", quat=(1, 1, 0, 0), mass=1, inertia=[1, 1, 1]))
    assert np.array_equal(model.mass_matrix([0.3]), other.mass_matrix([0.3]))
    assert poinsot.ModelBuilder().build().nv == 0


def test_a_builder_that_is_at_work_says_so():
    b = builder()

    class Sly:
        def __array__(self, *_args, **_keywords):
            b.body("inside", mass=1)
            return np.zeros(3)

    with pytest.raises((RuntimeError, ValueError), match="at work"):
        b.body("outside", pos=Sly())
    assert b.build().body_names == ["world", "a"]


def test_many_bodies_by_name():
    b = poinsot.ModelBuilder("many")
    parent = "world"
    for k in range(100_000):
        b.body(f"body {k}", parent, mass=1.0)
        parent = f"body {k}"
    assert len(b.build().body_names) == 100_001


SIMULATION = [
    ({"dt": 0}, ["time step", "0"]),
    ({"dt": NAN}, ["time step"]),
    ({"dt": 1e308}, ["time step", "1e30"]),
    ({"dt": 1e-320}, ["time step", "1e-30"]),
    ({"integrator": "euler"}, ["euler", "semi-implicit"]),
    ({"integrator": "exact"}, ["exact", "rkmk4"]),
    ({"formulation": "max"}, ["max", "maximal"]),
    ({"stabilisation": "baumgarte"}, ["baumgarte:0.05"]),
    ({"q": [1, 2]}, ["q", "nq = 1"]),
    ({"q": [NAN]}, ["q[0]", "j"]),
    ({"q": "abc"}, ["q"]),
    ({"v": [1j]}, ["v", "complex"]),
    ({"integrater": "rk4"}, ["integrater"]),
]


@pytest.mark.parametrize("keywords, words", SIMULATION)
def test_a_simulation_names_what_is_wrong(keywords, words):
    with pytest.raises((ValueError, TypeError)) as error:
        poinsot.Simulation(builder().build(), **keywords)
    assert all(word in str(error.value) for word in words), error.value


@pytest.mark.parametrize("given", ["robot.xml", None, 3])
def test_what_is_no_model_is_told_how_to_become_one(given):
    with pytest.raises(TypeError, match="poinsot.load"):
        poinsot.Simulation(given)


def changed(text, **values):
    return json.dumps({**json.loads(text), "check": "none", **values})


SNAPSHOTS = [
    (lambda text: "", ["not a snapshot"]),
    (lambda text: "hello", ["not a snapshot"]),
    (lambda text: text[:60], ["not a snapshot"]),
    (lambda text: "[1, 2]", ["not a snapshot"]),
    (lambda text: "[" * 100_000, ["not a snapshot"]),
    (lambda text: changed(text, **{"poinsot snapshot": 99}), ["version 99", "version 2"]),
    (lambda text: text.replace('"q":[', '"q":[NaN,'), ["not a snapshot"]),
    (lambda text: text.replace('"q":[', '"q":[1e400,'), ["not a snapshot"]),
    (lambda text: changed(text, q=[None]), ["q"]),
    (lambda text: changed(text, q=[1.0] * 1000), ["1000 coordinates"]),
    (lambda text: changed(text, sizes=[2**40, 1, 0, 0]), [str(2**40)]),
    (lambda text: changed(text, steps=2**64 - 1), ["steps"]),
    (lambda text: changed(text, steps=-1), ["steps"]),
    (lambda text: changed(text, clock=[0.002, 0.0, 2**64 - 1]), ["clock"]),
    (lambda text: changed(text, clock=[0.002, 0.0, 12345]), ["clock", "time"]),
    (lambda text: changed(text, dt=-1.0), ["dt"]),
    (lambda text: text.replace('"steps":3', '"steps":4'), ["damaged"]),
    (lambda text: changed(text, memory=[1.0] * 50), ["memory"]),
    (lambda text: changed(text, integrator="rkmk4"), ["rkmk4", "semi-implicit"]),
    (lambda text: changed(text, formulation="maximal"), ["maximal", "reduced"]),
    (lambda text: changed(text, formulation="x"), ["x", "maximal"]),
    (lambda text: changed(text, stabilisation="glue"), ["glue", "projection"]),
    (lambda text: changed(text, model="other"), ["other"]),
    (lambda text: changed(text, control=[1.0]), ["control"]),
    (lambda text: changed(text, bodies={"q": [1], "v": [1]}), ["bodies"]),
]


@pytest.mark.parametrize("change, words", SNAPSHOTS)
def test_a_snapshot_that_does_not_fit_is_refused_and_changes_nothing(change, words):
    sim = poinsot.Simulation(builder().build(), integrator="semi-implicit")
    sim.step(3)
    text = sim.snapshot().to_json()
    before = (sim.time, sim.q.tobytes(), sim.steps)
    with pytest.raises(ValueError) as error:
        sim.restore(poinsot.Snapshot.from_json(change(text)))
    assert all(word in str(error.value) for word in words), error.value
    assert (sim.time, sim.q.tobytes(), sim.steps) == before
    # a pickle holds the same text
    broken = pickle.dumps(sim.snapshot()).replace(b'"q"', b'"p"')
    with pytest.raises(ValueError, match="the snapshot is damaged"):
        pickle.loads(broken)


def test_what_is_no_file_of_a_snapshot_is_refused(tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match="not text"):
        poinsot.Snapshot.read(tmp_path / "binary")
    with pytest.raises(OSError, match=str(tmp_path)):
        poinsot.Snapshot.read(tmp_path)
    with pytest.raises(OSError, match="none.json"):
        poinsot.Snapshot.read(tmp_path / "none.json")


def test_threads_do_not_wait_for_one_another_forever():
    sim = poinsot.Simulation(poinsot.scene("double-pendulum"))
    threads = [threading.Thread(target=sim.step, args=(2000,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sim.steps == 8000
