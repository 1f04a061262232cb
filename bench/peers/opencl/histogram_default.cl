// Increments have no order here, nor would one cost anything on x86.
#define histogram_global histogram_default
#include "histogram_global.cl"
