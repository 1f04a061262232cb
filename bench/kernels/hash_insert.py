from cuda import device as D

from .runs import end_run

HASH = 2654435769  # 2**32 over the golden ratio: Knuth's multiplicative hash


@D.kernel
def hash_insert(table, state, source):
    """Puts the keys into a table of open addresses, probed one slot after the other. A slot has the
    number of the run above its key: one of an earlier run is free. state: as in end_run."""
    i = D.tid(1)
    run = D.uint64(state[0]) << 32
    mask = D.uint32(table.size - 1)
    if i < source.size:
        wanted = run | D.uint64(source[i])
        slot = (D.uint32(source[i]) * D.uint32(HASH)) & mask
        for _ in range(table.size):
            place = D.atomic_ref(table, slot)
            seen = place.load("relaxed", "device")
            if seen >> 32 != run >> 32:
                free = seen
                seen = place.cas(free, wanted, "relaxed", "device")
                if seen == free:
                    break
            if seen == wanted:
                break
            slot = (slot + 1) & mask
    end_run(state)
