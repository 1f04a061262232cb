// See kernels/locked_lists.py. A lane that has the lock gives it back before others of its vector
// look again: the loop that waits alone would not end there.
kernel void locked_lists(global int* following, volatile global ulong* heads, global int* locks,
                         global uint* state, global const int* lists, int n) {
  int i = get_global_id(0);
  ulong run = (ulong)state[0] << 32;
  if (i < n) {
    int k = lists[i];
    bool waits = true;
    while (waits) {
      if (atomic_xchg(&locks[k], 1) == 0) {
        ulong head = heads[k];
        following[i] = head >> 32 == run >> 32 ? (int)head : -1;
        heads[k] = run | (ulong)i;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(&locks[k], 0);
        waits = false;
      }
    }
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0 && atomic_inc(&state[1]) == get_num_groups(0) - 1) {
    state[0] += 1;
    state[1] = 0;
  }
}
