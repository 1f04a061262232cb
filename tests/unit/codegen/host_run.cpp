#include "unit/codegen/host_run.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <numeric>
#include <span>

#include "runtime/host/pool.h"
#include "runtime/host/symbols.h"
#include "unit/codegen/array_compare.h"
#include "unit/codegen/op_cases.h"

namespace cuda_device::codegen::test {

namespace {

constexpr int64_t kMargin = 1024;   // a whole gang of the widest elements, and more
constexpr uint8_t kOutside = 0xa5;  // what is there: nothing that a kernel stores

ir::OpaqueTrace* answering = nullptr;

// What `opaque` calls (codegen/host/control/reports.h).
int32_t answer_opaque(int64_t identity, uint32_t count, const int64_t* operands, uint32_t stride) {
  std::vector<int64_t> all;
  for (uint32_t k = 0; k < count; ++k) all.push_back(operands[size_t{k} * stride]);
  return answering->call(identity, all);
}

void* symbol(const std::string& name) {
  if (name == "cd_opaque") return reinterpret_cast<void*>(&answer_opaque);
  return runtime::host_symbol(name);
}

std::vector<uint8_t> pack(const abi::ParamLayout& layout, const TestArguments& arguments) {
  std::vector<uint8_t> block(layout.size);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const abi::ParamSlot& slot = layout.slots[i];
    uint8_t* at = block.data() + slot.offset;
    if (!slot.is_array) {
      std::memcpy(at, &arguments[i].scalar, slot.size);
      continue;
    }
    const TestArray& a = arguments[i].array;
    const void* data = arguments[i].place ? arguments[i].place : a.bytes.data() + a.offset;
    std::memcpy(at, &data, 8);
    std::memcpy(at + 8, a.shape.data(), 8 * a.shape.size());
    std::memcpy(at + 8 + 8 * a.shape.size(), a.strides.data(), 8 * a.strides.size());
  }
  return block;
}

}  // namespace

int64_t TestArray::count() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

TestArray TestArray::of_bytes(ScalarKind kind, std::vector<int64_t> shape) {
  TestArray a;
  a.kind = kind;
  a.shape = std::move(shape);
  a.strides.resize(a.shape.size());
  int64_t stride = bytes_of(kind);
  for (size_t i = a.shape.size(); i-- > 0; stride *= a.shape[i]) a.strides[i] = stride;
  a.bytes.assign(static_cast<size_t>(stride + 2 * kMargin), kOutside);
  std::memset(a.bytes.data() + kMargin, 0, static_cast<size_t>(stride));
  a.offset = kMargin;
  return a;
}

TestArgument TestArgument::f32(float value) { return int64_t{std::bit_cast<uint32_t>(value)}; }
TestArgument TestArgument::f64(double value) { return std::bit_cast<int64_t>(value); }

static bool is_native(MaskForm form) { return std::ranges::count(host_mask_forms(), form) > 0; }

std::string Way::name() const {
  if (threads) return "threads, for " + std::string(tune);
  return std::string(is_native(form) ? "" : "emulated ") + name_of(form) +
         (analysed ? "" : ", not analysed") + ", " + std::to_string(width) + " lanes, for " + tune;
}

static std::vector<Way> ways_of(std::span<const MaskForm> forms) {
  std::vector<Way> ways;
  for (MaskForm form : forms)
    for (const Way& way : {Way{form, false, 32}, Way{form, true, 32}, Way{form, true, 64}})
      ways.push_back(way);
  return ways;
}

std::vector<Way> all_ways() {
  std::vector<MaskForm> forms;
  for (MaskForm form : kMaskForms)
    if (is_native(form) || can_emulate(form)) forms.push_back(form);
  std::vector<Way> ways = ways_of(forms);
  for (MaskForm form : forms)
    if (form != MaskForm::Avx512) ways.push_back({form, true, 8});
  for (uint32_t width : {16, 32, 64})
    if (is_native(MaskForm::Avx2)) ways.push_back({MaskForm::Avx2, true, width, Way::kTuneAmd});
  if (std::ranges::count(forms, MaskForm::Avx512))
    ways.push_back({MaskForm::Avx512, true, 32, Way::kTuneAmd});
  return ways;
}

std::vector<Way> every_way() { return ways_of(kMaskForms); }

LoadedImage::LoadedImage(const abi::KernelImage& image) : image_(image), size_(image.code.size()) {
  void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("mmap");
  memory_ = static_cast<uint8_t*>(memory);
  std::memcpy(memory_, image.code.data(), size_);
  for (const abi::Import& import : image.imports) {
    void* address = symbol(import.name);
    if (!address) throw std::runtime_error("no symbol " + import.name);
    std::memcpy(memory_ + import.offset, &address, 8);
  }
  const size_t text = (image.text_size + 4095) / 4096 * 4096;
  mprotect(memory_, std::min(text, size_), PROT_READ | PROT_EXEC);
  if (text < size_) mprotect(memory_ + text, size_ - text, PROT_READ);
}

LoadedImage::~LoadedImage() { munmap(memory_, size_); }

void LoadedImage::run(const TestArguments& arguments, const ir::Grid& grid,
                      ir::OpaqueTrace* trace) const {
  answering = trace;
  const std::vector<uint8_t> params = pack(image_.params, arguments);
  abi::LaunchDims dims;
  dims.grid = grid.grid;
  dims.block = grid.block;
  image_.threads ? run_threads(params.data(), dims) : run_gangs(params.data(), dims);
}

void LoadedImage::run_gangs(const uint8_t* params, const abi::LaunchDims& dims) const {
  abi::HostContext context;
  context.dims = dims;
  size_t bytes = size_t{image_.arena} + abi::kArenaAlign;
  std::vector<char> memory(bytes);
  context.arena = memory.data();
  std::align(abi::kArenaAlign, image_.arena, context.arena, bytes);
  const auto entry = reinterpret_cast<abi::HostEntry>(memory_ + image_.entry);
  const uint64_t blocks = uint64_t{dims.grid[0]} * dims.grid[1] * dims.grid[2];
  // Runs two chunks, as two workers would.
  const uint64_t half = blocks / 2;
  entry(params, &context, 0, half);
  entry(params, &context, half, blocks);
}

void LoadedImage::run_threads(const uint8_t* params, const abi::LaunchDims& dims) const {
  const auto entry = reinterpret_cast<abi::HostThreadEntry>(memory_ + image_.entry);
  const runtime::fibres::Kernel kernel{entry, image_.stack, image_.arena};
  static const std::vector<PrintFormatter> no_formats;
  runtime::Report report(no_formats);
  runtime::WorkerPool pool(1);
  const std::string error = pool.run(std::make_shared<runtime::Job>(kernel, params, dims, report));
  const LaunchReport said = report.take();
  if (!error.empty() || said.failed || said.deadlock)
    throw std::runtime_error("threads did not come to the end: " + error);
}

// Every value varies, every branch diverges.
analysis::Analysis conservative_analysis(const ir::Function& f) {
  analysis::Analysis a;
  analysis::Shape varying;
  varying.level = analysis::Level::Varying;
  a.shapes.assign(f.inst_count(), varying);
  a.ranges.resize(f.inst_count());
  a.slot_shapes.assign(f.slots.size(), varying);
  a.slot_ranges.resize(f.slots.size());
  a.congruences.resize(f.inst_count());
  a.slot_congruences.resize(f.slots.size());
  a.store_blends.assign(f.inst_count(), true);
  a.nontemporal_stores.assign(f.inst_count(), false);
  a.record_stores.waits.assign(f.inst_count(), false);
  a.record_stores.groups.resize(f.inst_count());
  a.divergent.assign(f.inst_count(), true);
  return a;
}

constexpr uint32_t kStackOfCalls = 16 << 10;  // for the C++ of tests that such code calls

static abi::KernelImage compile_threads(const ir::Function& f, const HostOptions& options,
                                        Listing listing) {
  std::vector<Span> sites;
  uint32_t frame = 0;
  listing.frame = &frame;
  abi::KernelImage image = compile_host_threads(f, analysis::analyse(f), options, sites, listing);
  image.stack = frame + kStackOfCalls;
  return image;
}

abi::KernelImage compile_way(const ir::Function& given, const Way& way, const Listing& listing) {
  const std::unique_ptr<const ir::Function> legal = legalised(given);
  const ir::Function& f = *legal;
  HostOptions options;
  options.mask = way.form;
  if (listing.llvm || listing.llvm_opt || listing.assembly)
    options.cpu = Way::kTune;
  else
    options.emulate = !is_native(way.form);
  options.tune = way.tune;
  options.verify_llvm = true;
  if (way.threads) return compile_threads(f, options, listing);
  const auto gangs = way.analysed ? analysis::analyse(f, way.width) : conservative_analysis(f);
  return compile_host(f, gangs, options, listing);
}

void interpret(const ir::Function& f, TestArguments& arguments, const ir::Grid& grid,
               ir::OpaqueTrace* trace) {
  std::vector<ir::Argument> list;
  for (TestArgument& a : arguments) {
    ir::Argument argument;
    argument.scalar = a.scalar;
    if (a.is_array) argument.array = {a.array.data(), a.array.shape, a.array.strides};
    list.push_back(argument);
  }
  ir::interpret(f, list, grid, UINT64_MAX, nullptr,
                [&](int64_t identity, std::span<const int64_t> operands) {
                  return trace->call(identity, operands);
                });
}

void run_host(const ir::Function& f, const Way& way, TestArguments& arguments,
              const ir::Grid& grid) {
  LoadedImage(compile_way(f, way)).run(arguments, grid);
}

void expect_same(const ir::Function& f, const TestArguments& arguments, const ir::Grid& grid,
                 uint64_t ulps) {
  const auto problems = ir::verify(f);
  ASSERT_TRUE(problems.empty()) << problems[0];
  TestArguments expected = arguments;
  interpret(f, expected, grid);
  for (const Way& way : all_ways()) {
    TestArguments actual = arguments;
    run_host(f, way, actual, grid);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (const auto difference = first_difference(actual[i].array, expected[i].array, ulps))
        ADD_FAILURE() << way.name() << ": '" << f.params[i].name << "': " << *difference;
  }
}

void expect_same(const std::string& text, const TestArguments& arguments, const ir::Grid& grid) {
  expect_same(*ir::parse(text), arguments, grid);
}

}  // namespace cuda_device::codegen::test
