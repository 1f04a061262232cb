#define TILE 32
#define ROWS 8

kernel void transpose(global float* out, global const float* source, int width, int height) {
  local float tile[TILE][TILE + 1];
  int tx = get_local_id(0), ty = get_local_id(1);
  int x = get_group_id(0) * TILE + tx;
  int y = get_group_id(1) * TILE + ty;
  for (int j = 0; j < TILE; j += ROWS) tile[ty + j][tx] = source[(y + j) * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * TILE + tx;
  y = get_group_id(0) * TILE + ty;
  for (int j = 0; j < TILE; j += ROWS) out[(y + j) * height + x] = tile[tx][ty + j];
}
