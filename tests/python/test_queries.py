"""Rays, distances, overlaps and sweeps."""

import numpy as np
import poinsot
import pytest

TEXT = """<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
  <body name="ball" pos="0 0 1"><freejoint/><geom name="ball" size="0.1" mass="1"/></body>
  <body name="block" pos="2 0 1"><freejoint/><geom name="block" type="box" size="0.1 0.2 0.3" mass="1"/></body>
</worldbody></mujoco>"""


@pytest.fixture
def model():
    return poinsot.loads(TEXT)


def test_rays(model):
    scene = model.scene()
    hit = scene.cast_ray((0, 0, 3), (0, 0, -2))
    assert model.geoms[hit["geom"]]["name"] == "ball" and hit["distance"] == pytest.approx(1.9, abs=1e-12)
    assert hit["position"] == pytest.approx([0, 0, 1.1]) and hit["normal"] == pytest.approx([0, 0, 1])
    assert scene.cast_ray((0, 0, 3), (0, 0, -2), most=1.8) is None
    assert scene.cast_ray((0, 0, 3), (0, 0, 1)) is None


def test_distances_follow_the_configuration(model):
    q = model.qpos0.copy()
    found = model.scene(q).closest_points("ball", "block")
    assert found["distance"] == pytest.approx(1.8, abs=1e-12)
    assert found["points"] == pytest.approx(np.array([[0.1, 0, 1], [1.9, 0, 1]]))
    q[7] = 0.15
    assert model.scene(q).closest_points("ball", "block")["distance"] == pytest.approx(-0.05, abs=1e-9)
    assert model.scene().closest_points(1, 2, most=1.0) is None
    sim = poinsot.Simulation(model, dt=1e-3)
    before = sim.scene()
    sim.step(100)
    fallen = 1 - sim.q[2]
    assert fallen > 0.04
    assert before.closest_points("floor", "ball")["distance"] == pytest.approx(0.9, abs=1e-12)
    assert sim.scene().closest_points("floor", "ball")["distance"] == pytest.approx(0.9 - fallen, abs=1e-12)


def test_overlaps_and_sweeps(model):
    scene = model.scene()
    names = [g["name"] for g in model.geoms]
    assert [names[k] for k in scene.overlaps("sphere", radius=0.2, pos=(0, 0, 1))] == ["ball"]
    assert [names[k] for k in scene.overlaps("box", size=(5, 0.1, 0.1), pos=(0, 0, 1))] == ["ball", "block"]
    hit = scene.sweep_shape("sphere", 10.0, velocity=(1, 0, 0), pos=(1, 0, 1), radius=0.1)
    assert names[hit["geom"]] == "block" and hit["time"] == pytest.approx(0.8, abs=1e-9)
    assert hit["normal"] == pytest.approx([1, 0, 0])
    assert scene.sweep_shape("sphere", 0.7, velocity=(1, 0, 0), pos=(1, 0, 1), radius=0.1) is None


def test_arguments_are_named(model):
    scene = model.scene()
    for call, words in [
        (lambda: scene.cast_ray((0, 0), (0, 0, 1)), "start"),
        (lambda: scene.cast_ray((0, 0, 0), (0, 0, 0)), "direction"),
        (lambda: scene.cast_ray((0, 0, 0), (0, 0, 1), most=-1), "most"),
        (lambda: scene.closest_points("bal", "block"), 'did you mean "ball"'),
        (lambda: scene.closest_points("ball", 7), "b: there is no geom 7"),
        (lambda: scene.overlaps("sphere"), "radius"),
        (lambda: scene.overlaps("blob"), "blob"),
        (lambda: scene.sweep_shape("sphere", -1.0, velocity=(1, 0, 0), radius=1), "sweep"),
        (lambda: model.scene(q=[0.0]), "q"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
