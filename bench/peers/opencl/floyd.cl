#define TILE 32
#define ROWS 8

// Shortest paths within each tile of 32 nodes: a group of 32 x 8 work items, four rows each.
kernel void floyd(global float* out, global const float* source, int tiles) {
  local float path[TILE][TILE];
  int first = get_group_id(0) * TILE * TILE;
  int tx = get_local_id(0), ty = get_local_id(1);
  for (int row = ty; row < TILE; row += ROWS) path[row][tx] = source[first + row * TILE + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < TILE; ++k) {
    for (int row = ty; row < TILE; row += ROWS)
      path[row][tx] = min(path[row][tx], path[row][k] + path[k][tx]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int row = ty; row < TILE; row += ROWS) out[first + row * TILE + tx] = path[row][tx];
}
