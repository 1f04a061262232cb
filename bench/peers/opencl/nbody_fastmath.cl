// Built with -cl-fast-relaxed-math. native_rsqrt alone is less accurate than is wanted, and with a
// Newton step hardly faster.
#define nbody nbody_fastmath
#include "nbody.cl"
