"""Checks seeds in processes of their own: code that crashes or hangs ends one of them, the seed it
was at is named, and the others go on."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import connection

RENEWED_AFTER = 500  # seeds
POLLED = 0.5  # seconds

Check = Callable[[int], str | None]  # what is wrong with a seed


def _serve(check: Check, jobs: connection.Connection) -> None:
    with contextlib.suppress(EOFError, ConnectionError):  # nobody waits for it any more
        jobs.send(None)  # the imports are done
        while (seed := jobs.recv()) is not None:
            jobs.send(check(seed))


def _cause(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    return signal.Signals(-code).name


@dataclass
class Worker:
    process: multiprocessing.Process
    results: connection.Connection
    left: int  # seeds until it is renewed
    seed: int | None = None
    since: float = 0.0

    @classmethod
    def start(cls, check: Check) -> Worker:
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=_serve, args=(check, theirs), daemon=True)
        process.start()
        theirs.close()
        try:
            ours.recv()
        except EOFError:
            process.join()
            cause = _cause(process.exitcode)
            raise RuntimeError(f"a process for checks does not start: {cause}") from None
        return cls(process, ours, RENEWED_AFTER)

    def give(self, seed: int) -> None:
        self.seed, self.since = seed, time.monotonic()
        self.left -= 1
        self.results.send(seed)

    def take(self) -> str | None:
        """What is wrong with the seed; a process that died is what is wrong with it."""
        try:
            found = self.results.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            found, self.left = f"its process died: {_cause(self.process.exitcode)}", 0
            found = f"seed {self.seed}: {found}"
        self.seed = None
        return found

    def stop(self) -> None:
        if self.process.is_alive() and self.seed is None:
            self.results.send(None)
        else:
            self.process.kill()
        self.process.join()
        self.results.close()


def run(
    check: Check, seeds: Iterable[int], processes: int, limit: float
) -> Iterator[tuple[int, str | None]]:
    """The seeds as they are done, each with what is wrong with it. `limit`: seconds for one."""
    waiting = iter(seeds)
    workers: list[Worker] = []
    try:
        for seed in waiting:
            workers.append(Worker.start(check))
            workers[-1].give(seed)
            if len(workers) >= processes:
                break
        while workers:
            for worker, result in _done(workers, limit):
                yield result
                workers.remove(worker)
                seed = next(waiting, None)
                if seed is None or worker.left == 0:
                    worker.stop()
                    worker = None if seed is None else Worker.start(check)
                if worker is not None:
                    worker.give(seed)
                    workers.append(worker)
    finally:
        for worker in workers:
            worker.stop()


def _done(workers: list[Worker], limit: float) -> list[tuple[Worker, tuple[int, str | None]]]:
    """Those that are done with their seed, or have been at it for too long."""
    ready = connection.wait([worker.results for worker in workers], POLLED)
    now, done = time.monotonic(), []
    for worker in workers:
        seed = worker.seed
        if worker.results in ready:
            done.append((worker, (seed, worker.take())))
        elif now - worker.since > limit:
            worker.stop()
            worker.left = 0
            done.append((worker, (seed, f"seed {seed}: not done after {limit:g} s")))
    return done
