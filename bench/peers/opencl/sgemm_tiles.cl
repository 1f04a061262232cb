#define TILE 16

kernel void sgemm_tiles(global float* c, global const float* a, global const float* b, int m,
                        int n, int k) {
  local float tile_a[TILE][TILE];
  local float tile_b[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int column = get_global_id(0), row = get_global_id(1);
  float total = 0;
  for (int first = 0; first < k; first += TILE) {
    tile_a[ty][tx] = a[row * k + first + tx];
    tile_b[ty][tx] = b[(first + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int e = 0; e < TILE; ++e) total += tile_a[ty][e] * tile_b[e][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = total;
}
