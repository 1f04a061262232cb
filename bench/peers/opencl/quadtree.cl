#define DEPTH 32  // nodes that wait: three a level and the root

// OpenCL has no recursion: a stack holds the nodes that are still to be looked at, each a square
// around (x, y). first: of each node its first child, or -1 minus its first point.
typedef struct {
  int node;
  float x, y, half_side;
} Square;

// One at a time: each goes its own way.
#ifdef cl_intel_vec_len_hint
__attribute__((intel_vec_len_hint(1)))
#endif
kernel void quadtree(global int* out, global const int* first, global const int* count,
                     global const float2* points, global const float2* queries, float radius2,
                     int n) {
  int i = get_global_id(0);
  if (i >= n) return;
  float2 query = queries[i];
  Square stack[DEPTH];
  int depth = 0, found = 0;
  Square s = {0, 0.5f, 0.5f, 0.5f};
  for (;;) {
    int begin = first[s.node];
    if (begin < 0) {
      int end = -1 - begin + count[s.node];
      for (int p = -1 - begin; p < end; ++p) {
        float2 e = points[p] - query;
        found += e.x * e.x + e.y * e.y <= radius2;
      }
    } else {
      float quarter = s.half_side * 0.5f;
      for (int k = 0; k < 4; ++k) {
        float x = s.x + (k & 1 ? quarter : -quarter);
        float y = s.y + (k & 2 ? quarter : -quarter);
        float dx = fmax(fabs(query.x - x) - quarter, 0.0f);
        float dy = fmax(fabs(query.y - y) - quarter, 0.0f);
        if (count[begin + k] != 0 && dx * dx + dy * dy <= radius2)
          stack[depth++] = (Square){begin + k, x, y, quarter};
      }
    }
    if (depth == 0) break;
    s = stack[--depth];
  }
  out[i] = found;
}
