#include "dispatch/disk/image_bytes.h"

#include <bit>

#include "abi/array_view.h"
#include "support/bytes.h"

namespace cuda_device::dispatch {
namespace {

// The version of the format. Bytes of another version are no image.
constexpr uint32_t kVersion = 9;

// What a field is written as, and read from in the same order.
void write(ByteWriter& out, const abi::ParamSlot& slot, const DtypeTable& dtypes) {
  out.number(slot.is_array);
  out.number(slot.read_only);
  write_dtype(out, slot.dtype, dtypes);
  out.number(slot.ndim);
}

std::optional<abi::ParamSlot> read_slot(ByteReader& in, DtypeTable& dtypes) {
  abi::ParamSlot slot;
  slot.is_array = in.number<uint8_t>() != 0;
  slot.read_only = in.number<uint8_t>() != 0;
  const std::optional<DtypeId> dtype = read_dtype(in, dtypes);
  slot.ndim = in.number<uint8_t>();
  if (!dtype || slot.ndim > abi::kMaxDims) return std::nullopt;
  slot.dtype = *dtype;
  return slot;
}

// Offsets and sizes follow from the slots.
std::optional<abi::ParamLayout> read_layout(ByteReader& in, DtypeTable& dtypes) {
  std::vector<abi::ParamSlot> slots;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    const std::optional<abi::ParamSlot> slot = read_slot(in, dtypes);
    if (!slot) return std::nullopt;
    slots.push_back(*slot);
  }
  return abi::layout_of(slots, dtypes);
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

void write(ByteWriter& out, const PrintFormat& format, const DtypeTable& dtypes) {
  out.text(format.text);
  out.number(static_cast<uint32_t>(format.arguments.size()));
  for (const DtypeId argument : format.arguments) write_dtype(out, argument, dtypes);
}

// What is printed is a scalar each.
std::optional<PrintFormat> read_format(ByteReader& in, DtypeTable& dtypes) {
  PrintFormat format;
  format.text = in.text();
  const uint32_t values = in.number<uint32_t>();
  if (values > kMostPrinted) return std::nullopt;
  for (uint32_t k = 0; k < values && in.ok(); ++k) {
    const std::optional<DtypeId> argument = read_dtype(in, dtypes);
    if (!argument || !argument->is_scalar()) return std::nullopt;
    format.arguments.push_back(*argument);
  }
  return format;
}

std::optional<std::vector<PrintFormat>> read_formats(ByteReader& in, DtypeTable& dtypes) {
  std::vector<PrintFormat> formats;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    std::optional<PrintFormat> format = read_format(in, dtypes);
    if (!format) return std::nullopt;
    formats.push_back(std::move(*format));
  }
  return formats;
}

void write(ByteWriter& out, const Failure& failure, const DtypeTable& dtypes) {
  out.text(failure.raises);
  write(out, failure.message, dtypes);
  out.number(failure.assertion);
  out.number(failure.function);
  out.number(failure.line);
}

std::optional<std::vector<Failure>> read_failures(ByteReader& in, DtypeTable& dtypes) {
  std::vector<Failure> failures;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    Failure failure;
    failure.raises = in.text();
    std::optional<PrintFormat> message = read_format(in, dtypes);
    if (!message) return std::nullopt;
    failure.message = std::move(*message);
    failure.assertion = in.number<uint8_t>() != 0;
    failure.function = in.number<uint32_t>();
    failure.line = in.number<int32_t>();
    failures.push_back(std::move(failure));
  }
  return failures;
}

std::vector<WaitSite> read_sites(ByteReader& in) {
  std::vector<WaitSite> sites;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    WaitSite site;
    site.function = in.number<uint32_t>();
    site.line = in.number<int32_t>();
    sites.push_back(site);
  }
  return sites;
}

std::vector<abi::WorkerTable> read_tables(ByteReader& in) {
  std::vector<abi::WorkerTable> tables;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    abi::WorkerTable table;
    table.param = in.number<uint32_t>();
    table.merge = static_cast<abi::WorkerTable::Merge>(in.number<uint8_t>());
    table.element = static_cast<ScalarKind>(in.number<uint8_t>());
    tables.push_back(table);
  }
  return tables;
}

bool is_sane(const abi::WorkerTable& table, const abi::KernelImage& image) {
  const bool is_array =
      table.param < image.params.slots.size() && image.params.slots[table.param].is_array;
  return is_array && table.merge <= abi::WorkerTable::Merge::Min &&
         static_cast<int>(table.element) < kScalarCount && is_int(table.element) &&
         bits_of(table.element) >= 32;
}

void write(ByteWriter& out, const Warning& warning) {
  out.number(static_cast<uint16_t>(warning.code));
  out.number(warning.function);
  const Span& span = warning.span;
  for (const uint32_t place : {span.line, span.column, span.end_line, span.end_column})
    out.number(place);
  out.number(static_cast<uint32_t>(warning.args.size()));
  for (const std::string& arg : warning.args) out.text(arg);
}

std::optional<std::vector<Warning>> read_warnings(ByteReader& in) {
  std::vector<Warning> warnings;
  for (uint64_t count = in.number<uint32_t>(); count && in.ok(); --count) {
    Warning warning;
    const uint16_t code = in.number<uint16_t>();
    if (!is_code(code)) return std::nullopt;
    warning.code = static_cast<DiagCode>(code);
    warning.function = in.number<uint32_t>();
    Span& span = warning.span;
    for (uint32_t* place : {&span.line, &span.column, &span.end_line, &span.end_column})
      *place = in.number<uint32_t>();
    for (uint64_t args = in.number<uint32_t>(); args && in.ok(); --args)
      warning.args.emplace_back(in.text());
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

bool is_sane_code(const abi::KernelImage& image) {
  if (image.text_size > image.code.size() || image.entry >= image.text_size) return false;
  for (const abi::Import& import : image.imports) {
    const uint64_t end = uint64_t{import.offset} + sizeof(void*);
    if (import.offset < image.text_size || end > image.code.size()) return false;
  }
  if (image.tables.size() > abi::kMostWorkerTables) return false;
  for (const abi::WorkerTable& table : image.tables)
    if (!is_sane(table, image)) return false;
  return std::has_single_bit(image.width) && image.width >= 8 && image.width <= 64;
}

bool is_sane_ptx(const abi::KernelImage& image) {
  return !image.code.empty() && image.code.back() == 0 && !image.entry_name.empty();
}

}  // namespace

std::string bytes_of(const abi::KernelImage& image) {
  ByteWriter out;
  out.number(kVersion);
  out.number(image.kind);
  out.text(image.name);
  out.text(image.target);
  out.number(static_cast<uint32_t>(image.params.slots.size()));
  for (const abi::ParamSlot& slot : image.params.slots) write(out, slot, image.dtypes);
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
  out.number(image.counted_axes);
  out.number(image.arena);
  out.number(image.width);
  out.number(image.threads);
  out.number(image.flush_subnormals);
  out.number(static_cast<uint32_t>(image.tables.size()));
  for (const abi::WorkerTable& table : image.tables) {
    out.number(table.param);
    out.number(table.merge);
    out.number(table.element);
  }
  out.number(image.stack);
  out.number(image.nested_calls);
  out.number(static_cast<uint32_t>(image.failures.size()));
  for (const Failure& failure : image.failures) write(out, failure, image.dtypes);
  out.number(static_cast<uint32_t>(image.formats.size()));
  for (const PrintFormat& format : image.formats) write(out, format, image.dtypes);
  out.number(static_cast<uint32_t>(image.sites.size()));
  for (const WaitSite& site : image.sites) {
    out.number(site.function);
    out.number(site.line);
  }
  out.number(static_cast<uint32_t>(image.warnings.size()));
  for (const Warning& warning : image.warnings) write(out, warning);
  return out.take();
}

std::optional<abi::KernelImage> image_of(std::string_view bytes) {
  ByteReader in(bytes);
  abi::KernelImage image;
  if (in.number<uint32_t>() != kVersion) return std::nullopt;
  const uint8_t kind = in.number<uint8_t>();
  image.kind = static_cast<abi::ImageKind>(kind);
  image.name = in.text();
  image.target = in.text();
  std::optional<abi::ParamLayout> params = read_layout(in, image.dtypes);
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
  image.counted_axes = in.number<uint8_t>();
  image.arena = in.number<uint32_t>();
  image.width = in.number<uint8_t>();
  image.threads = in.number<uint8_t>() != 0;
  image.flush_subnormals = in.number<uint8_t>() != 0;
  image.tables = read_tables(in);
  image.stack = in.number<uint32_t>();
  image.nested_calls = in.number<uint32_t>();
  std::optional<std::vector<Failure>> failures = read_failures(in, image.dtypes);
  if (!failures) return std::nullopt;
  std::optional<std::vector<PrintFormat>> formats = read_formats(in, image.dtypes);
  if (!formats) return std::nullopt;
  image.sites = read_sites(in);
  std::optional<std::vector<Warning>> warnings = read_warnings(in);
  if (!warnings || !in.ended_well() || kind > static_cast<uint8_t>(abi::ImageKind::Ptx))
    return std::nullopt;
  image.failures = std::move(*failures);
  image.formats = std::move(*formats);
  image.warnings = std::move(*warnings);
  const bool host = image.kind == abi::ImageKind::HostCode;
  if (!(host ? is_sane_code(image) : is_sane_ptx(image))) return std::nullopt;
  return image;
}

}  // namespace cuda_device::dispatch
