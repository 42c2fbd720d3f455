"""Pictures, replays, and the page."""

import contextlib
import copy
import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest

import poinsot


@pytest.fixture
def sim():
    return poinsot.Simulation(poinsot.scene("ur5"))


def test_a_picture_shows_what_moves(sim):
    first = sim.render(160, 120)
    assert first.shape == (120, 160, 3) and first.dtype == np.uint8 and first.std() > 5
    assert (sim.render(160, 120) == first).all()
    sim.q = sim.q + 0.5
    moved = sim.render(160, 120)
    assert (moved != first).any()
    above = sim.render(160, 120, camera=((0, -0.1, 5), (0, 0, 0)))
    assert (above != moved).any() and (sim.render(160, 120) == moved).all()
    for camera in [(0, 0, 1), ((0, 0, 1), (0, 0, 1)), ((0, 0, 1), (0, 1, 0), (0, 0, 0)), "above"]:
        with pytest.raises((TypeError, ValueError), match="camera: "):
            sim.render(camera=camera)
    with pytest.raises(ValueError, match="a picture of 0 by 480"):
        sim.render(0, 480)


def test_pictures_have_the_colours_of_the_file(tmp_path):
    """A texture is in the description of a model, not in its geoms."""
    checker = """<mujoco><asset>
      <texture name="t" type="2d" builtin="flat" rgb1="0.9 0.1 0.1" width="8" height="8"/><material name="m" texture="t"/>
      </asset><worldbody><body><joint/><geom type="box" size=".1 .1 .1" material="m"/></body></worldbody></mujoco>"""
    picture = poinsot.Simulation(poinsot.loads(checker)).render(80, 60).astype(int)
    red = (picture[..., 0] > 2 * picture[..., 1]) & (picture[..., 0] > 60)
    assert red.mean() > 0.1


@contextlib.contextmanager
def limited_files(size):
    """No file may grow beyond so many bytes, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_replays(sim, tmp_path):
    before = sim.time
    replay = poinsot.replay(sim, 0.5, fps=20)
    assert len(replay) == 11 and sim.time == before and sim.recorded == 0
    sim.record(fps=10)
    sim.run(1.0)
    assert sim.recorded == 11 and len(poinsot.replay(sim)) == 11
    html = replay.html()
    assert html.lstrip().lower().startswith("<!doctype html>") and 'id="recording"' in html
    assert replay._repr_html_().startswith("<iframe srcdoc=")
    for name, first in [("a.html", b"<"), ("a.glb", b"glTF"), ("a.gif", b"GIF89a")]:
        replay.save(tmp_path / name, width=80, height=60)
        assert (tmp_path / name).read_bytes().lstrip().startswith(first)
    with pytest.raises(OSError, match="nowhere"):
        replay.save(tmp_path / "nowhere" / "a.html")
    for nameless in ["", ".gif", tmp_path / ".mp4"]:
        with pytest.raises(OSError, match="film.gif"):
            replay.save(nameless)
    # a file that cannot be completed leaves the old one
    old = {name: (tmp_path / name).read_bytes() for name in ["a.html", "a.glb", "a.gif"]}
    for name in old:
        with limited_files(1000), pytest.raises(OSError, match=name):
            replay.save(tmp_path / name, width=80, height=60)
    assert old == {name: (tmp_path / name).read_bytes() for name in old}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(old)
    sim.record(None)
    assert sim.recorded == 0
    with pytest.raises(ValueError, match="speed is 0"):
        poinsot.replay(sim, 0.1, speed=0)


def test_a_model_in_a_notebook():
    html = poinsot.scene("ur5")._repr_html_()
    assert "data:image/png;base64," in html and "<td>degrees of freedom</td><td>6</td>" in html


def test_the_page_follows_a_simulation(sim):
    sim.run(0.2)
    q = sim.q
    viewer = poinsot.view(sim, open_browser=False, block=False)

    def frames():
        return json.load(urllib.request.urlopen(viewer.url + "work", timeout=10))["frames"]

    def moves():
        """The page makes frames only when there is something new to see."""
        begin, before = time.monotonic(), frames()
        while frames() == before and time.monotonic() < begin + 0.5:
            time.sleep(0.01)
        return frames() > before

    try:
        assert viewer.running
        page = urllib.request.urlopen(viewer.url, timeout=10).read()
        assert b"<html" in page.lower()
        time.sleep(0.2)
        assert not moves() and (sim.q == q).all()
        for change in [sim.step, lambda: sim.run(0.1), sim.reset, lambda: setattr(sim, "q", q)]:
            threading.Timer(0.1, change).start()
            assert moves()
        # steps that take long are seen while they are made
        steps = threading.Thread(target=lambda: sim.step(100_000))
        steps.start()
        assert moves() and steps.is_alive()
        steps.join()
    finally:
        viewer.close()
    assert not viewer.running
    viewer.close()
    with pytest.raises(TypeError, match="needs a poinsot.Model or a poinsot.Simulation"):
        poinsot.view("ur5", open_browser=False)


def test_copies_have_no_recording(sim):
    sim.record()
    assert copy.copy(sim).recorded == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT")
def test_a_script_waits_until_ctrl_c():
    program = "import poinsot; poinsot.view(poinsot.scene('pendulum'), open_browser=False); print('ended')"
    # a shell that runs the tests in the background has them ignore it
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    command = [sys.executable, "-u", "-c", program]
    script = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=heed)
    try:
        assert script.stdout.readline().startswith("http://127.0.0.1:")
        script.send_signal(signal.SIGINT)
        assert script.communicate(timeout=10)[0] == "ended\n" and script.returncode == 0
    finally:
        script.kill()
