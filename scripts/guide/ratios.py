"""The table of ratios in the guide, from the kept figures of the benchmarks."""

from guide import results


def number(x: float) -> str:
    return f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def table() -> str:
    found = results.by_kernel(results.load()["results"])
    threads = list(next(iter(found.values())))
    titles = [f"÷ hand, {n} thread{'s' * (n != 1)}" for n in threads]
    titles += [f"÷ best peer, {n}" for n in threads]
    lines = ["| " + " | ".join(["kernel", *titles]) + " |", "|---" + "|--:" * len(titles) + "|"]
    for kernel, records in found.items():
        values = [number(results.to_hand(records[n])) for n in threads]
        values += [number(results.to_peers(records[n])) for n in threads]
        lines.append("| " + " | ".join([f"`{kernel}`", *values]) + " |")
    return "\n".join(lines)
