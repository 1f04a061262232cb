"""The kernels that have no barriers, as a user of Warp writes them."""
