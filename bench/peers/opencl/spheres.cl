#define FAR 1e30f

typedef struct {
  float x, y, z, radius2, shade;
} Sphere;

// The nearest sphere that the ray of each pixel meets, and its light.
kernel void spheres(global float* out, global const Sphere* spheres, int count, int width,
                    int height) {
  int column = get_global_id(0), row = get_global_id(1);
  if (column >= width || row >= height) return;
  float scale = 2.0f / height;
  float rx = (column - 0.5f * width) * scale;
  float ry = (row - 0.5f * height) * scale;
  float rz = 1.0f / sqrt(rx * rx + ry * ry + 1.0f);
  rx *= rz;
  ry *= rz;
  float nearest = FAR, cx = 0, cy = 0, cz = 0, shade = 0;
  for (int k = 0; k < count; ++k) {
    Sphere s = spheres[k];
    float b = s.x * rx + s.y * ry + s.z * rz;
    float rest = b * b - (s.x * s.x + s.y * s.y + s.z * s.z - s.radius2);
    float t = b - sqrt(fmax(rest, 0.0f));
    if (rest > 0 && t > 0 && t < nearest) {
      nearest = t;
      cx = s.x;
      cy = s.y;
      cz = s.z;
      shade = s.shade;
    }
  }
  float light = 0;
  if (nearest < FAR) {
    float nx = rx * nearest - cx, ny = ry * nearest - cy, nz = rz * nearest - cz;
    float cosine = (nx + ny + nz) * -0.57735027f / sqrt(nx * nx + ny * ny + nz * nz);
    light = shade * fmax(cosine, 0.0f);
  }
  out[row * width + column] = light;
}
