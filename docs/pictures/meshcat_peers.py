#!/usr/bin/env python3
"""Pictures of URDF robots by meshcat, from where the page has seen them, for docs/robots-seen.md.

`scripts/page-test` writes to target/browser/robots.json from where. Then, in an environment with pinocchio (PyPI `pin`), `meshcat` and pillow,
and with Chromium (or CHROMIUM says what to call):

    python docs/pictures/meshcat_peers.py [panda anymal]

The robots are brought to meshcat by Pinocchio's own visualiser; floor, lights and background are meshcat's defaults.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import meshcat
import numpy as np
import pinocchio as pin
from PIL import Image
from pinocchio.visualize import MeshcatVisualizer

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "browser"
HERE = ROOT / "docs/pictures"
SIZE = (960, 600)
SMALL = (720, 450)
FIELD_OF_VIEW = 40
CHROMIUM = os.environ.get("CHROMIUM", "chromium")
SOFTWARE = ["--headless", "--no-sandbox", "--hide-scrollbars", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


def shown(file, qpos, camera):
    """The robot in meshcat on its grid. Its camera always looks at the origin: so all is moved that the page's camera looks there, too."""
    folders = [str(folder) for folder in Path(file).parents][:6]
    robot = pin.RobotWrapper.BuildFromURDF(file, folders)
    q = pin.neutral(robot.model) if qpos is None else np.array([float(x) for x in qpos.split(",")][: robot.nq])
    visualizer = MeshcatVisualizer(robot.model, robot.collision_model, robot.visual_model)
    visualizer.initViewer(meshcat.Visualizer(), open=False, loadModel=True)
    visualizer.display(q)
    eye, to = np.array(camera["from"]), np.array(camera["to"])
    viewer = visualizer.viewer
    viewer[visualizer.viewerRootNodeName].set_transform(moved(-to))
    viewer["/Axes"].set_transform(moved(-to))
    viewer["/Grid"].set_transform(moved([-to[0], -to[1], lowest(robot, q) - to[2]]))
    x, y, z = eye - to
    # y is up in three.js
    viewer["/Cameras/default/rotated/<object>"].set_property("fov", FIELD_OF_VIEW)
    viewer["/Cameras/default/rotated/<object>"].set_property("position", [x, z, -y])
    return viewer


def moved(by):
    pose = np.eye(4)
    pose[:3, 3] = by
    return pose


def lowest(robot, q):
    """The height of its lowest point."""
    pin.framesForwardKinematics(robot.model, robot.data, q)
    pin.updateGeometryPlacements(robot.model, robot.data, robot.visual_model, robot.visual_data, q)
    heights = []
    for shape, pose in zip(robot.visual_model.geometryObjects, robot.visual_data.oMg):
        points = shape.geometry.vertices() if hasattr(shape.geometry, "vertices") else np.zeros((1, 3))
        heights.append((points * shape.meshScale @ pose.rotation.T + pose.translation)[:, 2].min())
    return min(heights)


def picture(viewer, folder):
    page, shot = Path(folder) / "page.html", Path(folder) / "shot.png"
    page.write_text(viewer.static_html())
    size = f"--window-size={SIZE[0]},{SIZE[1]}"
    command = [CHROMIUM, *SOFTWARE, size, "--virtual-time-budget=20000", f"--screenshot={shot}", page.as_uri()]
    subprocess.run(command, check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return Image.open(shot)


def main(names):
    views = json.loads((PAGE / "robots.json").read_text())
    for name in names or [n for n in views if views[n]["file"].endswith(".urdf")]:
        viewer = shown(views[name]["file"], views[name]["qpos"], views[name]["camera"])
        with tempfile.TemporaryDirectory() as folder:
            path = HERE / f"robot-{name}-meshcat.jpg"
            picture(viewer, folder).convert("RGB").resize(SMALL, Image.LANCZOS).save(path, quality=90, optimize=True)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
