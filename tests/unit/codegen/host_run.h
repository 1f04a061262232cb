// Runs a kernel given as IR text on the interpreter and on the host target, every form of it, and
// compares memory.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "codegen/codegen.h"
#include "ir/interpreter.h"
#include "unit/ir/opaque_trace.h"

namespace cuda_device::codegen::test {

// An array argument with room around it: a store outside of it is seen.
struct TestArray {
  ScalarKind kind = ScalarKind::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // bytes
  std::vector<uint8_t> bytes;
  int64_t offset = 0;  // of element 0

  static TestArray of_bytes(ScalarKind kind, std::vector<int64_t> shape);
  template <class T>
  static TestArray of(ScalarKind kind, const std::vector<T>& values) {
    TestArray a = of_bytes(kind, {static_cast<int64_t>(values.size())});
    if (!values.empty())
      std::memcpy(a.bytes.data() + a.offset, values.data(), values.size() * sizeof(T));
    return a;
  }
  template <class T>
  std::vector<T> values() const {
    std::vector<T> out(static_cast<size_t>(count()));
    if (!out.empty()) std::memcpy(out.data(), bytes.data() + offset, out.size() * sizeof(T));
    return out;
  }
  int64_t count() const;
  char* data() { return reinterpret_cast<char*>(bytes.data()) + offset; }
};

struct TestArgument {
  int64_t scalar = 0;  // as Inst::imm
  bool is_array = false;
  TestArray array;
  uint8_t* place = nullptr;  // of element 0, where that is not in the array's own bytes
  TestArgument(TestArray a) : is_array(true), array(std::move(a)) {}
  TestArgument(int64_t value) : scalar(value) {}
  static TestArgument f32(float value);
  static TestArgument f64(double value);
};
using TestArguments = std::vector<TestArgument>;

// One way of compiling.
struct Way {
  static constexpr char kTune[] = "sapphirerapids";
  static constexpr char kTuneAmd[] = "znver3";  // to avoid: stores under a mask (AVX2), gathers
  MaskForm form = MaskForm::Avx512;
  bool analysed = true;      // else everything varies
  uint32_t width = 32;       // lanes of a gang
  const char* tune = kTune;  // as HostOptions::tune
  bool threads = false;      // one by one, each on a stack of its own: no gangs, no masks
  std::string name() const;
};
std::vector<Way> all_ways();   // that this CPU can run, if need be emulated
std::vector<Way> every_way();  // that there is, to look at code

// An image placed in memory as the runtime places it.
class LoadedImage {
 public:
  explicit LoadedImage(const abi::KernelImage& image);
  ~LoadedImage();
  LoadedImage(const LoadedImage&) = delete;
  // `trace` answers what `opaque` calls.
  void run(const TestArguments& arguments, const ir::Grid& grid,
           ir::OpaqueTrace* trace = nullptr) const;

 private:
  void run_gangs(const uint8_t* params, const abi::LaunchDims& dims) const;
  void run_threads(const uint8_t* params, const abi::LaunchDims& dims) const;
  abi::KernelImage image_;
  uint8_t* memory_ = nullptr;
  size_t size_ = 0;
};

// Where a listing is wanted, for one and the same CPU on every machine.
abi::KernelImage compile_way(const ir::Function& f, const Way& way, const Listing& listing = {});

void interpret(const ir::Function& f, TestArguments& arguments, const ir::Grid& grid,
               ir::OpaqueTrace* trace = nullptr);
void run_host(const ir::Function& f, const Way& way, TestArguments& arguments,
              const ir::Grid& grid);

// EXPECTs that every way leaves the same in every array as the interpreter: see array_compare.h.
void expect_same(const ir::Function& f, const TestArguments& arguments, const ir::Grid& grid,
                 uint64_t ulps = 0);
void expect_same(const std::string& text, const TestArguments& arguments, const ir::Grid& grid);

}  // namespace cuda_device::codegen::test
