// One at a time: across particles it would gather and scatter.
#ifdef cl_intel_vec_len_hint
__attribute__((intel_vec_len_hint(1)))
#endif
kernel void particles_float4(global float4* new_place, global float4* new_speed,
                             global const float4* place, global const float4* speed, int n,
                             float eps, float pull, float dt) {
  int i = get_global_id(0);
  if (i >= n) return;
  float4 p = place[i], v = speed[i];
  float r2 = p.x * p.x + p.y * p.y + p.z * p.z + eps;
  float s = pull * dt / (r2 * sqrt(r2));
  v.xyz -= p.xyz * s;
  p.xyz += v.xyz * dt;
  new_speed[i] = v;
  new_place[i] = p;
}
