typedef struct {
  float x, y, z, mass, vx, vy, vz, age;
} Particle;

// One at a time: across particles it would gather and scatter.
#ifdef cl_intel_vec_len_hint
__attribute__((intel_vec_len_hint(1)))
#endif
kernel void particles_struct(global Particle* out, global const Particle* source, int n, float eps,
                             float pull, float dt) {
  int i = get_global_id(0);
  if (i >= n) return;
  Particle p = source[i];
  float r2 = p.x * p.x + p.y * p.y + p.z * p.z + eps;
  float s = pull * dt / (r2 * sqrt(r2));
  p.vx -= p.x * s;
  p.vy -= p.y * s;
  p.vz -= p.z * s;
  p.x += p.vx * dt;
  p.y += p.vy * dt;
  p.z += p.vz * dt;
  out[i] = p;
}
