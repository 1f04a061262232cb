kernel void convolve_rgba(global uchar4* out, global const uchar4* source,
                          global const float* weights, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 total = 0.5f;
  for (int j = 0; j < 3; ++j) {
    global const uchar4* row = source + clamp(y + j - 1, 0, height - 1) * width;
    for (int i = 0; i < 3; ++i)
      total += convert_float4(row[clamp(x + i - 1, 0, width - 1)]) * weights[3 * j + i];
  }
  out[y * width + x] = convert_uchar4(total);
}
