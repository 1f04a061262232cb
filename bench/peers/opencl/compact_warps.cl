// The positive elements, in any order; a sub-group takes room for all of its own at once, and
// without sub-groups a whole group does. state: the next free place, and the groups that are done,
// both of which the last group clears.
#ifdef cl_khr_subgroup_ballot
__attribute__((intel_reqd_sub_group_size(32)))
#endif
kernel void compact_warps(global float* out, global int* total, global int* state,
                          global const float* source, int n) {
  int i = get_global_id(0);
  int t = get_local_id(0);
  float x = i < n ? source[i] : 0.0f;
#ifdef cl_khr_subgroup_ballot
  // A mask of 32 fits in a word, whose bits are counted faster than sub_group_ballot_… counts them.
  uint kept = sub_group_ballot(x > 0).x;
  uint lane = get_sub_group_local_id();
  int start = 0;
  if (lane == 0) start = atomic_add(&state[0], popcount(kept));
  start = sub_group_broadcast(start, 0);
  if (x > 0) out[start + popcount(kept & ((1u << lane) - 1))] = x;
#else
  local int count, start;
  if (t == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int place = x > 0 ? atomic_inc(&count) : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t == 0) start = atomic_add(&state[0], count);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x > 0) out[start + place] = x;
#endif
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (t == 0 && atomic_inc(&state[1]) == get_num_groups(0) - 1) {
    total[0] = atomic_xchg(&state[0], 0);
    state[1] = 0;
  }
}
