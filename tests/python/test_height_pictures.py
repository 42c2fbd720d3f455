"""Landscapes from pictures, compared with MuJoCo."""

import struct
import zlib

import mujoco
import numpy as np
import poinsot
import pytest


def png(path, pixels, kind, palette=b""):
    def chunk(tag, data):
        return struct.pack(">I", len(data)) + tag + data + struct.pack(">I", zlib.crc32(tag + data))

    height, width = pixels.shape[:2]
    depth = 8 * pixels.dtype.itemsize
    rows = b"".join(b"\0" + row.astype(pixels.dtype.newbyteorder(">")).tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"PLTE", palette) if palette else b""]
    parts += [chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


RANDOM = np.random.default_rng(1)
PICTURES = {
    "grey": (RANDOM.integers(0, 256, (5, 7), dtype=np.uint8), 0),
    "grey, 16 bits": (RANDOM.integers(0, 65536, (5, 7), dtype=np.uint16), 0),
    "colours": (RANDOM.integers(0, 256, (5, 7, 3), dtype=np.uint8), 2),
    "colours, 16 bits": (RANDOM.integers(0, 65536, (5, 7, 3), dtype=np.uint16), 2),
    "transparent": (RANDOM.integers(0, 256, (5, 7, 4), dtype=np.uint8), 6),
    "palette": (RANDOM.integers(0, 6, (5, 7), dtype=np.uint8), 3),
    "flat": (np.full((5, 7), 9, dtype=np.uint8), 0),
}
TEXT = """<mujoco><asset><hfield name="h" file="{}" size="0.6 0.4 1 0.1"/></asset>
  <worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"""


@pytest.mark.parametrize("name", PICTURES)
def test_heights_are_those_of_mujoco(name, tmp_path):
    (pixels, kind), path = PICTURES[name], tmp_path / "h.png"
    png(path, pixels, kind, RANDOM.integers(0, 256, 18, dtype=np.uint8).tobytes() if kind == 3 else b"")
    m = mujoco.MjModel.from_xml_string(TEXT.format(path))
    heights = m.hfield_data.reshape(5, 7)
    scene = poinsot.loads(TEXT.format(path)).scene()
    for row in range(5):
        for column in range(7):
            # a little inside, where the rim is
            x, y = 0.6 * (column - 3) / 3, 0.4 * (row - 2) / 2
            hit = scene.cast_ray((x * (1 - 1e-9), y * (1 - 1e-9), 2), (0, 0, -1))
            assert hit["position"][2] == pytest.approx(heights[row, column], abs=1e-6), (row, column)


def test_a_broken_picture_is_told(tmp_path):
    path = tmp_path / "h.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    ball = '<body pos="0 0 2"><freejoint/><geom size="0.1"/></body></worldbody>'
    with pytest.warns(Warning, match="h.png"):
        poinsot.Simulation(poinsot.loads(TEXT.format(path).replace("</worldbody>", ball)))
