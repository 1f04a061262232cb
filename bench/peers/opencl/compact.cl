// The positive elements, in any order. state: the next free place, and the groups that are done,
// both of which the last group clears.
kernel void compact(global float* out, global int* total, global int* state,
                    global const float* source, int n) {
  int i = get_global_id(0);
  if (i < n) {
    float x = source[i];
    if (x > 0) out[atomic_inc(&state[0])] = x;
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0 && atomic_inc(&state[1]) == get_num_groups(0) - 1) {
    total[0] = atomic_xchg(&state[0], 0);
    state[1] = 0;
  }
}
