"""Reads the scalars of an event folder with TensorBoard itself and prints them, one line a point."""

import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(sys.argv[1], size_guidance={"scalars": 0})
events.Reload()
for tag in sorted(events.Tags()["scalars"]):
    for point in events.Scalars(tag):
        print(tag, point.step, f"{point.wall_time:.3f}", f"{point.value:g}")
