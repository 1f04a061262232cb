"""Who runs a problem on the GPU. Each module offers `contestants(problem, arguments)` as those of
bench/peers do: a list of Contestant, or NotAvailable with the reason. Their runs return at once;
the work is in the order of the arguments' stream."""
