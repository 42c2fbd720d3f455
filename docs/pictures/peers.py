#!/usr/bin/env python3
"""Pictures of the same robots by Poinsot's page and by MuJoCo, from the same place, for docs/robots-seen.md.

`scripts/page-test` takes those of the page, and writes to target/browser/robots.json from where. Then, in an environment with the
packages mujoco, numpy, pillow, trimesh, pycollada and yourdfpy:

    MUJOCO_GL=osmesa python docs/pictures/peers.py

MuJoCo reads no Collada: the visuals of URDF files are brought to it as OBJ files with their materials, by trimesh. Its scene is
that of its own examples: a headlight, a light from above, a sky, a chequered floor that mirrors.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "osmesa")

import mujoco
import numpy as np
import trimesh
import yourdfpy
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "browser"
HERE = ROOT / "docs/pictures"
SIZE = (960, 600)
SMALL = (720, 450)

SCENE = """<mujoco>
  <visual><headlight diffuse="0.6 0.6 0.6" ambient="0.3 0.3 0.3" specular="0 0 0"/><rgba haze="0.15 0.25 0.35 1"/>
    <quality shadowsize="4096"/></visual>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1="0.3 0.5 0.7" rgb2="0 0 0" width="512" height="3072"/>
    <texture type="2d" name="ground" builtin="checker" mark="edge" rgb1="0.2 0.3 0.4" rgb2="0.1 0.2 0.3" markrgb="0.8 0.8 0.8"
      width="300" height="300"/>
    <material name="ground" texture="ground" texuniform="true" texrepeat="5 5" reflectance="0.2"/>
    {assets}
  </asset>
  <worldbody>
    <light pos="0 0 1.5" dir="0 0 -1" directional="true"/>
    <geom pos="0 0 {floor}" size="0 0 0.05" type="plane" material="ground"/>
    {geoms}
  </worldbody>
</mujoco>"""


def find(folders, name):
    """The file that a URDF names."""
    name = name.removeprefix("package://")
    return str(next((f / name for f in folders if (f / name).exists()), name))


def write_obj(path, mesh, uv):
    lines = ["v %g %g %g" % tuple(v) for v in mesh.vertices]
    lines += ["vn %g %g %g" % tuple(n) for n in mesh.vertex_normals]
    if uv is not None:
        lines += ["vt %g %g" % tuple(t[:2]) for t in uv]
    corner = (lambda k: f"{k}/{k}/{k}") if uv is not None else (lambda k: f"{k}//{k}")
    lines += ["f " + " ".join(corner(k + 1) for k in face) for face in mesh.faces]
    path.write_text("\n".join(lines))


def urdf_scene(file, qpos, folder):
    """A URDF robot, standing still, as MJCF."""
    folders = [Path(file).parent, *Path(file).parents]
    robot = yourdfpy.URDF.load(file, filename_handler=lambda fname: find(folders, fname))
    if qpos:
        numbers = [float(x) for x in qpos.split(",")]
        robot.update_cfg(np.array(numbers[: len(robot.actuated_joint_names)]))
    assets, geoms, floor = [], [], np.inf
    for n, node in enumerate(robot.scene.graph.nodes_geometry):
        pose, name = robot.scene.graph[node]
        mesh = robot.scene.geometry[name].copy()
        mesh.apply_transform(pose)
        floor = min(floor, mesh.bounds[0][2])
        material = getattr(mesh.visual, "material", None)
        picture = getattr(material, "image", None) or getattr(material, "baseColorTexture", None)
        colour = material.main_color if material is not None else mesh.visual.main_color
        write_obj(folder / f"{n}.obj", mesh, mesh.visual.uv if picture else None)
        assets.append(f'<mesh name="{n}" file="{folder}/{n}.obj" inertia="shell"/>')
        look = 'rgba="%g %g %g %g"' % tuple(np.array(colour) / 255)
        if picture:
            picture.convert("RGB").save(folder / f"{n}.png")
            assets.append(f'<texture name="{n}" type="2d" file="{folder}/{n}.png"/><material name="{n}" texture="{n}"/>')
            look = f'material="{n}"'
        geoms.append(f'<geom type="mesh" mesh="{n}" {look} contype="0" conaffinity="0"/>')
    xml = SCENE.format(assets="\n".join(assets), geoms="\n".join(geoms), floor=floor)
    return mujoco.MjModel.from_xml_string(xml)


def picture(model, camera):
    """What the page's camera sees, as MuJoCo draws it."""
    model.vis.global_.offwidth, model.vis.global_.offheight = SIZE
    model.vis.global_.fovy = 40
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    eye, to = np.array(camera["from"]), np.array(camera["to"])
    view, ahead = mujoco.MjvCamera(), to - eye
    view.lookat[:] = to
    view.distance = np.linalg.norm(ahead)
    view.azimuth = np.degrees(np.arctan2(ahead[1], ahead[0]))
    view.elevation = np.degrees(np.arcsin(ahead[2] / view.distance))
    with mujoco.Renderer(model, SIZE[1], SIZE[0]) as renderer:
        renderer.update_scene(data, view)
        return Image.fromarray(renderer.render())


def keep(image, path):
    """A small file of a picture."""
    image.convert("RGB").resize(SMALL, Image.LANCZOS).save(path, quality=90, optimize=True)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main(names):
    views = json.loads((PAGE / "robots.json").read_text())
    for name in names or views:
        file, qpos = views[name]["file"], views[name]["qpos"]
        with tempfile.TemporaryDirectory() as folder:
            urdf = file.endswith(".urdf")
            model = urdf_scene(file, qpos, Path(folder)) if urdf else mujoco.MjModel.from_xml_path(file)
        keep(picture(model, views[name]["camera"]), HERE / f"robot-{name}-mujoco.jpg")
        keep(Image.open(PAGE / f"robot-{name}.png"), HERE / f"robot-{name}.jpg")


if __name__ == "__main__":
    main(sys.argv[1:])
