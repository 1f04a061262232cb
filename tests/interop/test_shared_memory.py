"""Processes that access memory which they share atomically, in Python and in kernels (DEV-ATOM)."""

from support.clauses import clause
from support.programs import environment, run_text

PROGRAM = """
import multiprocessing
from multiprocessing import shared_memory

import numpy as np
from cuda import device as D
from support.mutexes import ticket_mutex

PROCESSES, ROUNDS = 3, 300

@D.struct
class Shared:
    mutex: ticket_mutex
    begun: D.Atomic(int)
    kernels: D.Atomic(D.int64)
    pair: D.Atomic(D.int64x2)
    guarded: int
    torn: int

@D.kernel
def adds(shared):
    shared[1].kernels.add(1)

def begin_together(begun):
    begun.add(1)
    begun.notify_all()
    while (seen := begun.load()) < PROCESSES:
        begun.wait(seen)

def work(name):
    memory = shared_memory.SharedMemory(name)
    shared = np.frombuffer(memory.buf, Shared.numpy_dtype, 2)
    here = D.atomic_ref(shared, 1)
    D.launch(adds, shared, grid=1, block=1)  # compiles
    begin_together(here.begun)
    for k in range(ROUNDS):
        here.mutex.lock()
        before = here.guarded
        here.pair.store(D.int64x2(k, ~k))
        here.guarded = before + 1
        here.mutex.unlock()
        seen = here.pair.load()
        if seen.x != ~seen.y:
            here.torn = 1
        D.launch(adds, shared, grid=1, block=5)
    del here, shared
    memory.close()

if __name__ == "__main__":
    memory = shared_memory.SharedMemory(create=True, size=4096)
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=work, args=(memory.name,)) for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    shared = np.frombuffer(memory.buf, Shared.numpy_dtype, 2)[1].copy()
    print([process.exitcode for process in processes], shared["guarded"], shared["torn"],
          shared["mutex"].tolist(), shared["kernels"])
    memory.close()
    memory.unlink()
"""


@clause("DEV-ATOM-02", "DEV-ATOM-29", "DEV-STRUCT-15", partial="the host and its kernels")
def test_a_lock_and_counters_of_three_processes(tmp_path):
    done = run_text(tmp_path, PROGRAM, env=environment())
    counted = 3 * 300
    kernels = 3 * (1 + 300 * 5)
    expected = f"[0, 0, 0] {counted} 0 ({counted}, {counted}) {kernels}\n"
    assert (done.stdout, done.stderr) == (expected, "")
