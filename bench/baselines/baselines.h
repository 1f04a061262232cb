// The hand-written baselines behind a plain C interface. Each call returns when its work is done;
// `threads` counts the calling one. All arrays are float32 or int32, C-contiguous, 64-byte aligned.
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

// The polynomials themselves, for their accuracy check.
void hand_exp(float* y, const float* x, int64_t n);
void hand_log(float* y, const float* x, int64_t n);
void hand_erf(float* y, const float* x, int64_t n);
}
