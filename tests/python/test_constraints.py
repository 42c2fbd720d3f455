"""Equalities of MJCF as constraints, compared with MuJoCo: what each leaves at random configurations."""

import numpy as np
import pytest

import poinsot

mujoco = pytest.importorskip("mujoco")
from constraints import difference  # noqa: E402

WORLD = """<mujoco><worldbody>
    <body name="a" pos=".1 .2 .3" euler="10 20 30"><freejoint/><geom size=".1"/>
      <site name="s" pos=".1 0 0" euler="50 60 70"/>
      <body name="tip" pos="0 0 1" euler="0 30 0"><geom size=".1"/></body></body>
    <body name="b" pos=".4 .1 .3" euler="40 20 30">
      <joint name="x" axis="1 1 0" pos="0 .1 0" ref="30"/><joint name="y" type="slide" axis="1 0 0" ref=".2"/>
      <geom size=".1"/><site name="t" pos="0 .2 0"/>
      <body name="c" pos="0 0 .3"><joint name="ball" type="ball"/><geom size=".1"/>
        <site name="u" pos=".3 .2 .1" euler="20 30 40"/></body></body>
    <body name="still" pos="1 1 1" euler="0 0 40"><geom size=".1"/></body>
    <body name="hand" pos="0 1 1" euler="0 0 70" mocap="true"/></worldbody>
  <tendon><fixed name="both"><joint joint="x" coef="2"/><joint joint="y" coef="-3.5"/></fixed>
    <fixed><joint joint="x" coef=".5"/></fixed><fixed name="one"><joint joint="x" coef=".5"/></fixed></tendon>
  <equality>{}</equality></mujoco>"""

EQUALITIES = [
    '<connect name="hook" body1="a" body2="c" anchor=".1 .2 .3"/>',
    '<connect body1="c" anchor=".1 .2 .3"/>',
    '<connect body1="world" body2="tip" anchor=".1 .2 .3"/>',
    '<connect body1="still" body2="tip" anchor=".1 .2 .3"/>',
    '<connect body1="hand" body2="tip" anchor=".1 .2 .3"/>',
    '<connect site1="s" site2="u"/>',
    '<weld body1="a" body2="c"/>',
    '<weld body1="c"/>',
    '<weld body1="a" body2="c" anchor=".1 .2 .3"/>',
    '<weld body1="a" body2="c" relpose="1 2 3 1 .2 .3 .4"/>',
    '<weld body1="a" body2="c" relpose="1 2 3 1 .2 .3 .4" anchor=".1 .2 .3" torquescale=".3"/>',
    '<weld body1="c" relpose="1 2 3 0 0 0 0" anchor=".1 .2 .3"/>',
    '<weld body1="still" body2="c" anchor=".1 .2 .3"/>',
    '<weld site1="s" site2="u"/>',
    '<joint joint1="x" joint2="y" polycoef=".1 .2 .3 .4 .5"/>',
    '<joint joint1="y" joint2="x"/>',
    '<joint joint1="x" polycoef=".1 .2"/>',
    '<tendon tendon1="both" tendon2="one" polycoef=".1 .2 .3 .4 .5"/>',
    '<tendon tendon1="both" polycoef=".1 .2"/>',
]
# those that both leave out: nothing can move there, or they are not active
IDLE = [
    '<connect body1="still" anchor="0 0 0"/>',
    '<weld body1="hand" body2="still"/>',
    '<connect body1="a" anchor="0 0 0" active="false"/>',
]


def both(text):
    return poinsot.loads(text), mujoco.MjModel.from_xml_string(text)


@pytest.mark.parametrize("equality", EQUALITIES + ["".join(EQUALITIES + IDLE)], ids=lambda e: e[:80])
def test_each_leaves_what_it_leaves_in_mujoco(equality):
    model, m = both(WORLD.format(equality))
    assert len(model.constraint_names) == (1 if equality in EQUALITIES else len(EQUALITIES))
    assert max(difference(model, m, model.random_configuration(seed)) for seed in range(10)) < 1e-12


@pytest.mark.parametrize("equality", IDLE)
def test_some_are_left_out(equality):
    model, m = both(WORLD.format(equality))
    assert model.constraints == {} and difference(model, m, model.qpos0) == 0
    assert any("ignored" in d.message and d.line == 14 for d in model.diagnostics)


def test_what_a_model_says_of_its_constraints():
    model = poinsot.loads(WORLD.format(EQUALITIES[0] + EQUALITIES[-1]))
    assert model.constraint_names == list(model.constraints) == ["hook", "constraint1"]
    hook, lengths = model.constraints.values()
    assert (hook["kind"], hook["rows"], hook["bodies"]) == ("point", 3, ["a", "c"])
    assert np.array_equal(hook["positions"][0], [0.1, 0.2, 0.3]) and hook["rotations"].shape == (2, 3, 3)
    assert (lengths["kind"], lengths["rows"], lengths["tendons"]) == ("tendon", 1, ["both"])
    assert lengths["references"] == pytest.approx([2 * np.pi / 6 - 3.5 * 0.2])
    assert np.array_equal(lengths["coefficients"], [0.1, 0, 0, 0, 0])
