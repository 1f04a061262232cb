#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
// See kernels/hash_insert.py.
kernel void hash_insert(global ulong* table, global uint* state, global const uint* source, int n,
                        uint slots) {
  int i = get_global_id(0);
  ulong run = (ulong)state[0] << 32;
  uint mask = slots - 1;
  if (i < n) {
    ulong wanted = run | source[i];
    uint slot = source[i] * 2654435769u & mask;
    for (uint k = 0; k < slots; ++k) {
      ulong seen = *(volatile global ulong*)&table[slot];
      if (seen >> 32 != run >> 32) {
        ulong free = seen;
        seen = atom_cmpxchg(&table[slot], free, wanted);
        if (seen == free) break;
      }
      if (seen == wanted) break;
      slot = (slot + 1) & mask;
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0 && atomic_inc(&state[1]) == get_num_groups(0) - 1) {
    state[0] += 1;
    state[1] = 0;
  }
}
