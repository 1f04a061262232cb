#define TILE 128  // of the result, for a group of 16 x 16 work items
#define DEPTH 8
#define OWN 8  // each work item has 8 x 8 elements, 16 apart

kernel void sgemm_registers(global float* c, global const float* a, global const float* b, int m,
                            int n, int k) {
  local float tile_a[DEPTH][TILE];
  local float tile_b[DEPTH][TILE];
  float total[OWN][OWN], column[OWN], row[OWN];
  int tx = get_local_id(0), ty = get_local_id(1);
  int t = ty * 16 + tx;
  int x0 = get_group_id(0) * TILE, y0 = get_group_id(1) * TILE;
  for (int i = 0; i < OWN; ++i)
    for (int j = 0; j < OWN; ++j) total[i][j] = 0;
  for (int first = 0; first < k; first += DEPTH) {
    for (int e = t; e < DEPTH * TILE; e += 256) {
      tile_a[e % DEPTH][e / DEPTH] = a[(y0 + e / DEPTH) * k + first + e % DEPTH];
      tile_b[e / TILE][e % TILE] = b[(first + e / TILE) * n + x0 + e % TILE];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < DEPTH; ++d) {
      for (int i = 0; i < OWN; ++i) column[i] = tile_a[d][ty + 16 * i];
      for (int j = 0; j < OWN; ++j) row[j] = tile_b[d][tx + 16 * j];
      for (int i = 0; i < OWN; ++i)
        for (int j = 0; j < OWN; ++j) total[i][j] += column[i] * row[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < OWN; ++i)
    for (int j = 0; j < OWN; ++j) c[(y0 + ty + 16 * i) * n + x0 + tx + 16 * j] = total[i][j];
}
