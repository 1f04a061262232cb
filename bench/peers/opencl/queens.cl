#define MOST 32  // rows of a board

// OpenCL has no recursion: a stack holds what is still free in the rows above. Places that queens
// attack are bits, which move sideways from row to row along the diagonals.
int solutions(int n, int columns, int up, int down) {
  int free_of[MOST], columns_of[MOST], up_of[MOST], down_of[MOST];
  int full = (1 << n) - 1;
  int found = 0, depth = 0;
  int unused = full & ~(columns | up | down);
  for (;;) {
    if (unused != 0) {
      int bit = unused & -unused;
      unused ^= bit;
      if ((columns | bit) == full) {
        ++found;
        continue;
      }
      free_of[depth] = unused;
      columns_of[depth] = columns;
      up_of[depth] = up;
      down_of[depth] = down;
      ++depth;
      columns |= bit;
      up = (up | bit) << 1;
      down = (down | bit) >> 1;
      unused = full & ~(columns | up | down);
    } else {
      if (depth == 0) return found;
      --depth;
      unused = free_of[depth];
      columns = columns_of[depth];
      up = up_of[depth];
      down = down_of[depth];
    }
  }
}

// One at a time: each goes its own way.
#ifdef cl_intel_vec_len_hint
__attribute__((intel_vec_len_hint(1)))
#endif
kernel void queens(global int* out, int n) {
  int start = get_global_id(0);
  if (start >= n * n) return;
  int first = 1 << start / n;
  int second = 1 << start % n;
  int found = 0;
  if ((second & (first | first << 1 | first >> 1)) == 0)
    found = solutions(n, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1);
  out[start] = found;
}
