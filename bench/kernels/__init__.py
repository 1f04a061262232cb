"""The kernels of the benchmark, as a user of cuda.device writes them."""
