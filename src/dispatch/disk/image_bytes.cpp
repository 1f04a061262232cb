#include "dispatch/disk/image_bytes.h"

#include <algorithm>
#include <bit>

#include "abi/array_view.h"
#include "support/bytes.h"

namespace cuda_device::dispatch {
namespace {

// What a field is written as, and read from in the same order.
void write(ByteWriter& out, const abi::ParamSlot& slot) {
  out.number(slot.is_array);
  out.number(slot.read_only);
  out.number(slot.scalar);
  out.number(slot.ndim);
}

abi::ParamSlot read_slot(ByteReader& in) {
  abi::ParamSlot slot;
  slot.is_array = in.number<uint8_t>() != 0;
  slot.read_only = in.number<uint8_t>() != 0;
  slot.scalar = static_cast<ScalarKind>(in.number<uint8_t>());
  slot.ndim = in.number<uint8_t>();
  return slot;
}

bool is_sane(const abi::ParamSlot& slot) {
  return static_cast<int>(slot.scalar) < kScalarCount && slot.ndim <= abi::kMaxDims;
}

// Offsets and sizes follow from the slots.
std::optional<abi::ParamLayout> read_layout(ByteReader& in) {
  std::vector<abi::ParamSlot> slots;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    slots.push_back(read_slot(in));
    if (!is_sane(slots.back())) return std::nullopt;
  }
  return abi::layout_of(slots);
}

std::vector<abi::Import> read_imports(ByteReader& in) {
  std::vector<abi::Import> imports;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    abi::Import import;
    import.name = in.text();
    import.offset = in.number<uint32_t>();
    imports.push_back(std::move(import));
  }
  return imports;
}

void write(ByteWriter& out, const Failure& failure) {
  out.text(failure.raises);
  out.text(failure.text);
  out.number(failure.assertion);
  out.number(failure.function);
  out.number(failure.line);
}

std::vector<Failure> read_failures(ByteReader& in) {
  std::vector<Failure> failures;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    Failure failure;
    failure.raises = in.text();
    failure.text = in.text();
    failure.assertion = in.number<uint8_t>() != 0;
    failure.function = in.number<uint32_t>();
    failure.line = in.number<int32_t>();
    failures.push_back(std::move(failure));
  }
  return failures;
}

void write(ByteWriter& out, const PrintFormat& format) {
  out.text(format.text);
  out.number(static_cast<uint32_t>(format.arguments.size()));
  for (const ScalarKind kind : format.arguments) out.number(kind);
}

std::vector<PrintFormat> read_formats(ByteReader& in) {
  std::vector<PrintFormat> formats;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    PrintFormat format;
    format.text = in.text();
    for (uint64_t values = in.number<uint32_t>(); values && in.ok(); --values)
      format.arguments.push_back(static_cast<ScalarKind>(in.number<uint8_t>()));
    formats.push_back(std::move(format));
  }
  return formats;
}

bool is_sane(const PrintFormat& format) {
  return std::ranges::all_of(format.arguments,
                             [](ScalarKind k) { return static_cast<int>(k) < kScalarCount; });
}

bool is_sane_code(const abi::KernelImage& image) {
  if (image.text_size > image.code.size() || image.entry >= image.text_size) return false;
  for (const abi::Import& import : image.imports) {
    const uint64_t end = uint64_t{import.offset} + sizeof(void*);
    if (import.offset < image.text_size || end > image.code.size()) return false;
  }
  return std::has_single_bit(image.width) && image.width >= 8 && image.width <= 64;
}

bool is_sane_ptx(const abi::KernelImage& image) {
  return !image.code.empty() && image.code.back() == 0 && !image.entry_name.empty();
}

}  // namespace

std::string bytes_of(const abi::KernelImage& image) {
  ByteWriter out;
  out.number(image.kind);
  out.text(image.name);
  out.text(image.target);
  out.number(static_cast<uint32_t>(image.params.slots.size()));
  for (const abi::ParamSlot& slot : image.params.slots) write(out, slot);
  out.text({reinterpret_cast<const char*>(image.code.data()), image.code.size()});
  out.number(image.text_size);
  out.number(image.entry);
  out.text(image.entry_name);
  out.number(static_cast<uint32_t>(image.imports.size()));
  for (const abi::Import& import : image.imports) {
    out.text(import.name);
    out.number(import.offset);
  }
  out.number(image.static_shared);
  out.number(image.dynamic_shared);
  out.number(image.arena);
  out.number(image.width);
  out.number(static_cast<uint32_t>(image.failures.size()));
  for (const Failure& failure : image.failures) write(out, failure);
  out.number(static_cast<uint32_t>(image.formats.size()));
  for (const PrintFormat& format : image.formats) write(out, format);
  return out.take();
}

std::optional<abi::KernelImage> image_of(std::string_view bytes) {
  ByteReader in(bytes);
  abi::KernelImage image;
  const uint8_t kind = in.number<uint8_t>();
  image.kind = static_cast<abi::ImageKind>(kind);
  image.name = in.text();
  image.target = in.text();
  std::optional<abi::ParamLayout> params = read_layout(in);
  if (!params) return std::nullopt;
  image.params = std::move(*params);
  const std::string_view code = in.text();
  image.code.assign(code.begin(), code.end());
  image.text_size = in.number<uint32_t>();
  image.entry = in.number<uint32_t>();
  image.entry_name = in.text();
  image.imports = read_imports(in);
  image.static_shared = in.number<uint32_t>();
  image.dynamic_shared = in.number<uint8_t>() != 0;
  image.arena = in.number<uint32_t>();
  image.width = in.number<uint8_t>();
  image.failures = read_failures(in);
  image.formats = read_formats(in);
  if (!in.ended_well() || kind > static_cast<uint8_t>(abi::ImageKind::Ptx)) return std::nullopt;
  if (!std::ranges::all_of(image.formats, [](const PrintFormat& f) { return is_sane(f); }))
    return std::nullopt;
  const bool host = image.kind == abi::ImageKind::HostCode;
  if (!(host ? is_sane_code(image) : is_sane_ptx(image))) return std::nullopt;
  return image;
}

}  // namespace cuda_device::dispatch
