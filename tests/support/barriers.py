"""A model of threads that meet at barriers: each is a generator that yields at a barrier."""

__all__ = ["threads"]


def threads(thread, block, *arguments):
    """What each thread returns: `thread(t, ...)` yields its word at a barrier, and gets all."""
    running = {t: thread(t, *arguments) for t in range(block)}
    words, result, sent = dict.fromkeys(running), [0] * block, None
    while running:
        for t in list(running):
            try:
                words[t] = running[t].send(sent)
            except StopIteration as end:
                result[t] = end.value
                del running[t], words[t]
        sent = list(words.values())
    return result
