"""MuJoCo's time to load models: lines of a path in, lines of seconds (CPU, minimum of 5, of 2 for slow ones), bodies and degrees of
freedom out."""

import sys
import time

import mujoco

for line in sys.stdin:
    best, model = float("inf"), None
    for repeat in range(5):
        begin = time.process_time()
        try:
            model = mujoco.MjModel.from_xml_path(line.strip())
        except ValueError as error:
            print("refused", str(error).splitlines()[0], flush=True)
            break
        best = min(best, time.process_time() - begin)
        if repeat == 1 and best > 5:
            break
    if model:
        print(best, model.nbody, model.nv, flush=True)
