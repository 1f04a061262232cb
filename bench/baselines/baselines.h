// The hand-written baselines behind a plain C interface. Each call returns when its work is done;
// `threads` counts the calling one. Arrays are C-contiguous and 64-byte aligned. Where no second
// function has the non-temporal stores, large outputs get them.
#pragma once

#include <cstdint>

extern "C" {

// a = b + s * c over n elements; the second with non-temporal stores.
void hand_triad(int threads, float* a, const float* b, const float* c, float s, int64_t n);
void hand_triad_nt(int threads, float* a, const float* b, const float* c, float s, int64_t n);

// Copies `height` rows of `width` floats; both arrays are contiguous.
void hand_copy2d(int threads, float* out, const float* in, int64_t width, int64_t height);
void hand_copy2d_nt(int threads, float* out, const float* in, int64_t width, int64_t height);

// Iterations until |z| > 2 of z = z*z + c, at most `limit`, for c = (x0 + i*dx, y0 + j*dy).
// 2 or 4 vectors in flight: rows of 16 pixels under each other.
void hand_mandelbrot_x2(int threads, int32_t* out, int64_t width, int64_t height, float x0,
                        float y0, float dx, float dy, int32_t limit);
void hand_mandelbrot_x4(int threads, int32_t* out, int64_t width, int64_t height, float x0,
                        float y0, float dx, float dy, int32_t limit);

// European call and put prices, 2 or 4 vectors in flight.
void hand_black_scholes_x2(int threads, float* call, float* put, const float* price,
                           const float* strike, const float* years, float rate, float volatility,
                           int64_t n);
void hand_black_scholes_x4(int threads, float* call, float* put, const float* price,
                           const float* strike, const float* years, float rate, float volatility,
                           int64_t n);

// Gravity: a_i = sum over j of m_j * (r_j - r_i) / (|r_j - r_i|^2 + eps2)^(3/2). The first takes
// the hardware's estimate of 1/sqrt and one Newton step, the second a rounded square root and
// division.
void hand_nbody(int threads, float* ax, float* ay, float* az, const float* x, const float* y,
                const float* z, const float* mass, float eps2, int64_t n);
void hand_nbody_exact(int threads, float* ax, float* ay, float* az, const float* x, const float* y,
                      const float* z, const float* mass, float eps2, int64_t n);

// C = A B: A is m x k, B k x n, C m x n, row-major.
void hand_sgemm(int threads, float* c, const float* a, const float* b, int64_t m, int64_t n,
                int64_t k);

// out = c0 * in[z, y, x] + c1 * (sum of its six neighbours) inside; the boundary is copied. x is
// the fastest index.
void hand_stencil7(int threads, float* out, const float* in, float c0, float c1, int64_t nx,
                   int64_t ny, int64_t nz);

// `in` has `height` rows of `width` floats, `out` is its transpose.
void hand_transpose(int threads, float* out, const float* in, int64_t width, int64_t height);

// out[y, x] = sum over dy, dx in -2 ... 2 of weights[dy + 2][dx + 2] * in[y + dy, x + dx], indices
// clamped to the image.
void hand_convolve(int threads, float* out, const float* in, const float* weights, int64_t width,
                   int64_t height);

// out[b] = sum of in[256 b ... 256 b + 255]; the last block may be short.
void hand_block_sums(int threads, float* out, const float* in, int64_t n);

// out[p] = sum of the p-th of `parts` contiguous shares of `in`: whole lines of 16 floats, as many
// to each as to any other or one more.
void hand_sum_parts(int threads, float* out, const float* in, int64_t n, int64_t parts);

// Inclusive prefix sums inside every block of 256 elements; the last block may be short.
void hand_block_scans(int threads, float* out, const float* in, int64_t n);

// Inclusive prefix sums of all elements.
void hand_scan(int threads, float* out, const float* in, int64_t n);

// Every run of 32 elements in ascending order; n is a multiple of 32, no element is NaN.
void hand_sort_32(int threads, float* out, const float* in, int64_t n);

// Every block of 1024 elements in ascending order; n is a multiple of 1024, no element is NaN.
void hand_sort_blocks(int threads, float* out, const float* in, int64_t n);

// out[b][v] = how often v occurs in in[b * per ... (b + 1) * per - 1], per = ceil(n / blocks).
void hand_histograms(int threads, int32_t* out, const uint8_t* in, int64_t n, int64_t blocks);

// y = A x, A in compressed rows: row i has the entries row_start[i] ... row_start[i + 1] - 1.
void hand_spmv(int threads, float* y, const int32_t* row_start, const int32_t* column,
               const float* value, const float* x, int64_t rows);

// Floyd's algorithm in each 32x32 tile: for k = 0 ... 31, d[i][j] = min(d[i][j], d[i][k] + d[k][j])
// for all i, j.
void hand_floyd_tiles(int threads, float* out, const float* in, int64_t tiles);

// Ways to put n queens on a board so that none takes another, n at most 31: out[a * n + b] of those
// with the first in column a and the second in column b.
void hand_queens(int threads, int32_t* out, int64_t n);

// How many points lie within the radius of each of the n queries. Of each node of the quadtree over
// the unit square: `first` is its first child, or -1 minus its first point; `count` its points.
void hand_quadtree(int threads, int32_t* out, const int32_t* first, const int32_t* count,
                   const float* points, const float* queries, float radius2, int64_t n);

// One step in time of n particles around the origin, an even number of whole vectors: the velocity
// takes -pull * dt * place / (|place|^2 + eps)^(3/2), the place the new velocity * dt. Positions
// and velocities are four floats each, of which the last stays; a struct is a position and a
// velocity.
void hand_particles_float4(int threads, float* new_place, float* new_speed, const float* place,
                           const float* speed, int64_t n, float eps, float pull, float dt);
void hand_particles_struct(int threads, float* out, const float* in, int64_t n, float eps,
                           float pull, float dt);

// out = a*x + y, rounded once from float32; n is a multiple of 64. No NaN in bfloat16.
void hand_axpy_float16(int threads, uint16_t* out, const uint16_t* x, const uint16_t* y, float a,
                       int64_t n);
void hand_axpy_bfloat16(int threads, uint16_t* out, const uint16_t* x, const uint16_t* y, float a,
                        int64_t n);

// out[p] = sum of x * y over the p-th of `parts` equal shares, multiples of 128 numbers.
void hand_dot_float16(int threads, float* out, const uint16_t* x, const uint16_t* y, int64_t n,
                      int64_t parts);
void hand_dot_bfloat16(int threads, float* out, const uint16_t* x, const uint16_t* y, int64_t n,
                       int64_t parts);

// One pass of Stockham's radix-4 transform of n complex numbers: `span` roots of unity, the powers
// of exp(-2 pi i / (4 span)); span is a power of two of at least 8 and divides n / 4.
void hand_fft_radix4(int threads, float* out, const float* in, const float* twiddle, int64_t n,
                     int64_t span);

// out = the whole part of 1/2 + the sum of 3 x 3 weighted neighbours, for each byte of RGBA;
// indices are clamped to the image. The sums stay below 256.
void hand_convolve_rgba(int threads, uint8_t* out, const uint8_t* in, const float* weights,
                        int64_t width, int64_t height);

// Light of the nearest sphere that the ray from the origin through each pixel meets, 0 without one.
// A sphere is its centre, its squared radius and its brightness.
void hand_spheres(int threads, float* out, const float* spheres, int64_t count, int64_t width,
                  int64_t height);

// How often each v occurs is added to out[v].
void hand_histogram_wide(int threads, int32_t* out, const uint16_t* in, int64_t n, int64_t bins);
void hand_histogram_locked(int threads, int32_t* out, const uint16_t* in, int64_t n, int64_t bins);

// The positive elements in any order, and how many they are.
void hand_compact(int threads, float* out, int32_t* total, const float* in, int64_t n);

// Keys put into a table of `slots` places, a power of two; state[0]: the number of this run.
void hand_hash_insert(int threads, uint64_t* table, uint32_t* state, const uint32_t* keys,
                      int64_t n, int64_t slots);

// Element i put at the front of lists[i]: following[i] is the one that was there, or -1.
void hand_locked_lists(int threads, int32_t* following, uint64_t* heads, int32_t* locks,
                       uint32_t* state, const int32_t* lists, int64_t n);

// out[i]: the square of the distance of query i to the nearest of the points once these are turned.
// Points and queries: all x, then all y.
void hand_nearest(int threads, float* out, const float* points, const float* queries, float sine,
                  float cosine, int64_t n, int64_t m);

// The polynomials themselves, for their accuracy check.
void hand_exp(float* y, const float* x, int64_t n);
void hand_log(float* y, const float* x, int64_t n);
void hand_erf(float* y, const float* x, int64_t n);
}
