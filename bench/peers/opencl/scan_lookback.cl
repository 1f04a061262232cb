// Built with -cl-std=CL3.0.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

#define BLOCK 256
#define OWN 4  // elements of a work item
#define TILE (BLOCK * OWN)

// What a group has told: nothing, the sum of its tile, or the sum of all up to it.
enum { NOTHING, ITS_SUM, ALL_SUMS };

void tell(volatile global ulong* told, int kind, float sum) {
  atom_xchg(told, as_ulong((int2)(kind, as_int(sum))));
}

// What comes before the tile, whose sum is `own`. OpenCL does not promise that a group goes on
// while another waits, but both CPU runtimes run a group that has begun to its end on a thread of
// its own.
float look_back(volatile global ulong* told, int tile, float own) {
  float before = 0;
  int kind = tile > 0 ? ITS_SUM : ALL_SUMS;
  if (tile > 0) tell(&told[tile], ITS_SUM, own);
  for (int k = tile; kind != ALL_SUMS;) {
    int2 found = as_int2(told[k - 1]);
    if (found.x == NOTHING) continue;
    kind = found.x;
    before += as_float(found.y);
    --k;
  }
  tell(&told[tile], ALL_SUMS, before + own);
  return before;
}

// The group's sums up to and with each work item's `own`.
#ifdef __opencl_c_work_group_collective_functions
float scanned(local float* sums, float own) { return work_group_scan_inclusive_add(own); }
#else
float scanned(local float* sums, float own) {  // by the eight steps of Hillis and Steele
  int t = get_local_id(0);
  sums[t] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int step = 1; step < BLOCK; step *= 2) {
    float sum = sums[t] + (t >= step ? sums[t - step] : 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return sums[t];
}
#endif

// Sums up to and with each element of a whole array, in one pass (decoupled look-back). state: the
// next tile, and the groups that are done; the last group clears it and `told`.
kernel void scan_lookback(global float* out, volatile global ulong* told, global int* state,
                          global const float* source, int n) {
  local float sums[BLOCK];
  local int tile;
  local float start;
  int t = get_local_id(0);
  // Tiles go to groups in the order in which they begin: nobody waits for one that has not.
  if (t == 0) tile = atomic_inc(&state[0]);
  barrier(CLK_LOCAL_MEM_FENCE);
  int first = tile * TILE + t * OWN;
  float value[OWN];
  float total = 0;
  for (int k = 0; k < OWN; ++k) value[k] = total += first + k < n ? source[first + k] : 0.0f;
  float up_to = scanned(sums, total);
  if (t == BLOCK - 1) start = look_back(told, tile, up_to);
  barrier(CLK_LOCAL_MEM_FENCE);
  float before = start + (up_to - total);
  for (int k = 0; k < OWN; ++k)
    if (first + k < n) out[first + k] = before + value[k];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (t == 0 && atomic_inc(&state[1]) == get_num_groups(0) - 1) {
    state[0] = 0;
    state[1] = 0;
    for (int k = 0; k < get_num_groups(0); ++k) told[k] = 0;
  }
}
