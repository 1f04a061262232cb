// Seven-point stencil. A task is a band of rows through some planes, so that the three planes it
// reads at once stay in L2; the fourth comes by prefetch. Outputs beyond the caches are streamed.
#include <algorithm>
#include <cstring>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

// A plane's share of L2: 2 MiB beside AVX-512, 256 or 512 KiB where AVX2 is all there is.
constexpr int64_t kBandBytes = (kLanes == 16 ? 256 : 64) << 10;
constexpr int64_t kPlanes = 32;  // planes of a task: one in 16 is read twice

struct Grid {
  float* out;
  const float* in;
  float c0, c1;
  int64_t nx, ny, nz;

  int64_t plane() const { return nx * ny; }
};

template <class Lanes>
inline Vec star(const Grid& g, const float* p, Lanes m) {
  Vec x = add(load(p - 1, m), load(p + 1, m));
  Vec y = add(load(p - g.nx, m), load(p + g.nx, m));
  Vec z = add(load(p - g.plane(), m), load(p + g.plane(), m));
  return fma(splat(g.c0), load(p, m), mul(splat(g.c1), add(add(x, y), z)));
}

void copy_row(const Grid& g, int64_t row) {
  std::memcpy(g.out + row * g.nx, g.in + row * g.nx, static_cast<size_t>(g.nx) * 4);
}

// The points [x, end) of a row: less than a line. Two whole vectors may overlap.
inline void part_of_line(const Grid& g, float* out, const float* in, int64_t x, int64_t end) {
  if (kLineVectors > 1 && end - x >= kLanes) {
    store(out + x, star(g, in + x, AllLanes{}));
    x = end - kLanes;
    store(out + x, star(g, in + x, AllLanes{}));
  } else if (x < end) {
    Mask m = first_lanes(end - x);
    store(out + x, star(g, in + x, m), m);
  }
}

// One row of the interior; its first and last element are boundary.
template <bool kStream>
void interior_row(const Grid& g, int64_t row) {
  const float* in = g.in + row * g.nx;
  float* out = g.out + row * g.nx;
  const int64_t last = g.nx - 1;
  const float* ahead = in + (row + 2 * g.ny < g.ny * g.nz ? 2 * g.plane() : 0);
  out[0] = in[0];
  // Up to a line of the output; then whole lines.
  int64_t x = std::min(last, kLine - (reinterpret_cast<intptr_t>(out) / 4 & (kLine - 1)));
  part_of_line(g, out, in, 1, x);
  for (; x + kLine <= last; x += kLine) {
    prefetch_l2(ahead + x);
#pragma GCC unroll 2
    for (int k = 0; k < kLine; k += kLanes)
      put<kStream>(out + x + k, star(g, in + x + k, AllLanes{}));
  }
  part_of_line(g, out, in, x, last);
  out[last] = in[last];
}

template <bool kStream>
void stencil_range(const Grid& g, int64_t z0, int64_t z1, int64_t y0, int64_t y1) {
  for (int64_t z = z0; z < z1; ++z)
    for (int64_t y = y0; y < y1; ++y) {
      int64_t row = z * g.ny + y;
      bool inside = z > 0 && z < g.nz - 1 && y > 0 && y < g.ny - 1 && g.nx > 2;
      if (inside)
        interior_row<kStream>(g, row);
      else
        copy_row(g, row);
    }
  if (kStream) _mm_sfence();
}

void stencil(int threads, const Grid& g) {
  int64_t band = std::clamp<int64_t>(kBandBytes / (4 * std::max<int64_t>(g.nx, 1)), 4, 1 << 20);
  int64_t bands = (g.ny + band - 1) / band, slabs = (g.nz + kPlanes - 1) / kPlanes;
  bool streams = g.plane() * g.nz * 4 >= kStreamBytes;
  parallel_chunks(threads, bands * slabs, 1, [&](int64_t task, int64_t) {
    int64_t z = task / bands * kPlanes, y = task % bands * band;
    int64_t z1 = std::min(z + kPlanes, g.nz), y1 = std::min(y + band, g.ny);
    streams ? stencil_range<true>(g, z, z1, y, y1) : stencil_range<false>(g, z, z1, y, y1);
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_stencil7(int threads, float* out, const float* in, float c0, float c1, int64_t nx,
                   int64_t ny, int64_t nz) {
  cuda_device::bench::stencil(threads, {out, in, c0, c1, nx, ny, nz});
}
