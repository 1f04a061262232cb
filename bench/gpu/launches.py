"""What a launch costs the program: ours, a bare loop of cuLaunchKernelEx in C, CuPy, numba-cuda.

`returned`: launches in bursts that the driver's queue holds, the GPU waited for between them, which
is not timed: what a launch costs that need not wait. `all run`: as many in one go, until the last
one has run; the GPU itself takes some 2 us for each.
"""

import json
import statistics
import tempfile
import time

from peers import NotAvailable

from gpu import launch_rows, machine, on_gpu, outcome

OURS, BARE = "cuda.device", "bare loop"
BURST = 250
ROUNDS = 3
SLOW = 1e-5  # seconds a launch: who takes longer launches a tenth as often
WANTED = 1.0  # us beyond the bare loop with 16 arrays, of the medians


def sources(stream, arrays, folder):
    import launch_kernels

    sixteen = launch_kernels.sixteen
    return {
        OURS: lambda: launch_rows.ours(stream, arrays, sixteen),
        BARE: lambda: launch_rows.bare(stream, arrays, sixteen, folder),
        "CuPy": lambda: launch_rows.cupy(stream, arrays),
        "numba-cuda": lambda: launch_rows.numba(stream, arrays),
    }


def gathered(stream, arrays, folder):
    """({(who, row): function}, {who: reason}); each has launched once."""
    found, absent = {}, {}
    for who, make in sources(stream, arrays, folder).items():
        try:
            for row, run in make().items():
                run(1)
                stream.sync()
                found[who, row] = run
        except NotAvailable as reason:
            absent[who] = str(reason)
        except Exception as error:
            absent[who] = f"failed: {type(error).__name__}: {error}"
    return found, absent


def in_bursts(run, stream, launches):
    """Seconds a launch takes to return."""
    seconds, burst = 0.0, min(BURST, launches)
    for _ in range(launches // burst):
        start = time.perf_counter()
        run(burst)
        seconds += time.perf_counter() - start
        stream.sync()
    return seconds / (launches // burst * burst)


def in_one_go(run, stream, launches):
    """Seconds a launch, until all have run."""
    start = time.perf_counter()
    run(launches)
    stream.sync()
    return (time.perf_counter() - start) / launches


def measured(found, stream, launches):
    """[{who, row, returned, all_run}]: microseconds, a number a round; who takes turns."""
    counts = {}
    for key, run in found.items():
        slow = in_bursts(run, stream, min(BURST, launches)) > SLOW
        counts[key] = launches // 10 if slow else launches
    rows = [{"who": who, "row": row, "returned": [], "all_run": []} for who, row in found]
    for _ in range(ROUNDS):
        for line, (key, run) in zip(rows, found.items(), strict=True):
            line["returned"].append(1e6 * in_bursts(run, stream, counts[key]))
            line["all_run"].append(1e6 * in_one_go(run, stream, counts[key]))
    return rows


def medians(rows):
    return {(line["who"], line["row"]): statistics.median(line["returned"]) for line in rows}


def markdown(rows, absent):
    lines = ["| µs a launch, median (least) | returned | all run |", "|---|--:|--:|"]
    for line in rows:
        figures = [f"{statistics.median(x):.2f} ({min(x):.2f})" for x in
                   (line["returned"], line["all_run"])]  # fmt: skip
        lines.append(f"| {line['who']}, {line['row']} | " + " | ".join(figures) + " |")
    return "\n".join([*lines, "", *(f"* {who}: {reason}" for who, reason in absent.items())])


def conclude(rows, absent, quick):
    found, words, missed = medians(rows), [], False
    for row in (launch_rows.EMPTY, launch_rows.SIXTEEN):
        if (OURS, row) in found and (BARE, row) in found:
            ours, bare = found[OURS, row], found[BARE, row]
            words.append(f"{row}: {ours:.2f} µs, the bare loop {bare:.2f}")
            missed |= row == launch_rows.SIXTEEN and ours - bare > WANTED and not quick
    words += [f"MISSED: at most {WANTED} µs more was wanted"] if missed else []
    words += [f"{who}: {reason.splitlines()[0][:200]}" for who, reason in absent.items()]
    outcome.report(markdown(rows, absent))
    outcome.summary("; ".join(words))
    failed = [not reason.startswith("not here") for reason in absent.values()]
    return outcome.status(missed or any(failed), bool(absent))


def main(argv):
    options = machine.options(__doc__, argv)
    stream, arrays = on_gpu.stream(), launch_rows.sixteen_arrays()
    with tempfile.TemporaryDirectory() as folder:
        found, absent = gathered(stream, arrays, folder)
        rows = measured(found, stream, 20 if options.quick else 100_000)
        stream.sync()
    about = {"machine": machine.line(), "rows": rows, "absent": absent}
    (options.out / "launches.json").write_text(json.dumps(about, indent=1))
    return conclude(rows, absent, options.quick)
