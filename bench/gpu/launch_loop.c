// The least that a launch by the driver costs: the same one again and again, everything made ready
// before. What the driver has is declared here, so that no header of CUDA's is needed.
typedef int (*Launch)(const void* config, void* function, void** params, void** extra);

int launch_loop(Launch launch, const void* config, void* function, void** params, long times) {
  for (long i = 0; i < times; ++i) {
    const int error = launch(config, function, params, 0);
    if (error) return error;
  }
  return 0;
}
