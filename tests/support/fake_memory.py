"""Programs that run on the tests' own CUDA driver: no GPU, every call on record."""

import json
import textwrap

from support.fake_gpu import needs_fake, run_on_fake

__all__ = ["needs_fake", "run"]

HEAD = """
import ctypes, gc, json
import numpy as np
from cuda import device as D
from cuda.device import _core, core

fake = ctypes.CDLL("libcuda.so.1")
fake.fake_take_calls.restype = fake.fake_take_notes.restype = ctypes.c_char_p
fake.fake_new_stream.restype = ctypes.c_uint64

_labels = {}  # of streams of another library, by their handles

def handle(label):
    '''The CUDA stream that a test calls by this number; 0, 1 and 2 are default streams.'''
    known = [h for h, l in _labels.items() if l == label]
    if label <= 2 or known:
        return known[0] if known else label
    made = fake.fake_new_stream(0, 1)
    _labels[made] = label
    return made

def calls():
    '''Members of the driver called since the last time, but for those about the context.'''
    said = fake.fake_take_calls().decode().split()
    about_contexts = (
        "context_p", "context_g", "stream_context", "stream_capturing", "thread_capture_mode")
    return [name for name in said if not name.startswith(about_contexts)]

def notes():
    '''What was done on which stream since the last time.'''
    found = fake.fake_take_notes().decode()
    for h, label in _labels.items():
        found = found.replace(f" on {h}\\n", f" on {label}\\n")
    return found.splitlines()

def fail(member, error, which=1):
    fake.fake_fail(member.encode(), which, error)

def outcome(what):
    '''The error's type and text; None where there was none.'''
    try:
        what()
    except Exception as e:
        return [type(e).__name__, str(e)]

def left():
    '''Allocations, events (but for some that are kept for the next who asks) and pushed contexts
    that the driver still has; our own count.'''
    gc.collect()
    return [fake.fake_allocations() + fake.fake_pinned(), max(fake.fake_events() - 4, 0),
            fake.fake_context_depth(), _core.memory_figures(0)["allocations"]]

class Stream:
    '''A CUDA stream of another library.'''
    def __init__(self, label):
        self.handle = handle(label)
    def __cuda_stream__(self):
        return 0, self.handle
"""


def run(folder, text, **variables):
    """Runs HEAD and the text in a process with the fake driver; what it left in `answer`."""
    text = textwrap.dedent(text) + "\nprint(json.dumps(answer))\n"
    settings = {"CUDA_DEVICE_IMAGE": None, **variables}  # as users have it
    done = run_on_fake(folder, text, head=HEAD, **settings)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
