// Searches with a stack of their own, where kernels call a function that calls itself.
#include <cmath>
#include <cstdint>

#include "baselines.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kMostQueens = 32;

// Rows that are left have each the places that are still to be tried.
int32_t solutions(int32_t n, uint32_t columns, uint32_t up, uint32_t down) {
  struct Row {
    uint32_t columns, up, down, free;
  };
  const uint32_t full = (1u << n) - 1;
  Row stack[kMostQueens];
  int32_t found = 0;
  int depth = 0;
  stack[0] = {columns, up, down, full & ~(columns | up | down)};
  while (depth >= 0) {
    Row& row = stack[depth];
    if (row.free == 0) {
      --depth;
      continue;
    }
    const uint32_t bit = row.free & (0u - row.free);
    row.free ^= bit;
    const uint32_t next = row.columns | bit;
    if (next == full) {
      ++found;
      continue;
    }
    const uint32_t next_up = (row.up | bit) << 1, next_down = (row.down | bit) >> 1;
    stack[++depth] = {next, next_up, next_down, full & ~(next | next_up | next_down)};
  }
  return found;
}

int32_t from_two(int32_t n, int32_t start) {
  const uint32_t first = 1u << (start / n), second = 1u << (start % n);
  if (second & (first | first << 1 | first >> 1)) return 0;
  return solutions(n, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1);
}

struct Tree {
  const int32_t* first;
  const int32_t* count;
  const float* points;
};

int32_t in_leaf(const Tree& tree, int32_t node, float px, float py, float radius2) {
  int32_t found = 0;
  const float* p = tree.points + 2 * (-1 - int64_t{tree.first[node]});
  for (int32_t k = 0; k < tree.count[node]; ++k, p += 2) {
    const float ex = p[0] - px, ey = p[1] - py;
    found += ex * ex + ey * ey <= radius2;
  }
  return found;
}

int32_t within(const Tree& tree, float px, float py, float radius2) {
  struct Square {
    int32_t node;
    float x, y, half;
  };
  Square stack[64];
  int top = 0;
  stack[top++] = {0, 0.5f, 0.5f, 0.5f};
  int32_t found = 0;
  while (top > 0) {
    const Square s = stack[--top];
    const float dx = std::fmax(std::fabs(px - s.x) - s.half, 0.0f);
    const float dy = std::fmax(std::fabs(py - s.y) - s.half, 0.0f);
    if (tree.count[s.node] == 0 || dx * dx + dy * dy > radius2) continue;
    const int32_t begin = tree.first[s.node];
    if (begin < 0) {
      found += in_leaf(tree, s.node, px, py, radius2);
      continue;
    }
    const float half = s.half * 0.5f;
    for (int32_t k = 3; k >= 0; --k)
      stack[top++] = {begin + k, s.x + (k & 1 ? half : -half), s.y + (k & 2 ? half : -half), half};
  }
  return found;
}

}  // namespace
}  // namespace cuda_device::bench

void hand_queens(int threads, int32_t* out, int64_t n) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, n * n, 4, [=](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      out[i] = from_two(static_cast<int32_t>(n), static_cast<int32_t>(i));
  });
}

void hand_quadtree(int threads, int32_t* out, const int32_t* first, const int32_t* count,
                   const float* points, const float* queries, float radius2, int64_t n) {
  using namespace cuda_device::bench;
  const Tree tree{first, count, points};
  parallel_chunks(threads, n, 256, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      out[i] = within(tree, queries[2 * i], queries[2 * i + 1], radius2);
  });
}
