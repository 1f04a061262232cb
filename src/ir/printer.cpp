// The text form, described in docs/ir.md. parse() in parser.cpp is its inverse.
#include <charconv>
#include <cmath>

#include "ir/atomic.h"
#include "ir/ir.h"
#include "ir/text.h"

namespace cuda_device::ir {
namespace {

constexpr char kHex[] = "0123456789abcdef";

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string hex_bytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string hex(uint64_t bits) {
  char text[20];
  auto end = std::to_chars(text, text + sizeof text, bits, 16).ptr;
  return "0x" + std::string(text, end);
}

// Shortest text that reads back as the same value; NaN and malformed constants as their bits.
template <class T>
std::string float_text(T value, int64_t bits) {
  if (std::isnan(value)) return "nan(" + hex(static_cast<uint64_t>(bits)) + ")";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  std::string out(text, std::to_chars(text, text + sizeof text, value).ptr);
  if (out.find_first_of(".e") == std::string::npos) out += ".0";
  return out;
}

std::string constant_text(Type type, int64_t imm) {
  if (type.is_bool() && (imm == 0 || imm == 1)) return imm ? "true" : "false";
  if (type.is_float()) {
    if (canonical(type.scalar(), imm) != imm)
      return "bits(" + hex(static_cast<uint64_t>(imm)) + ")";
    return with_shortest(type.scalar(), imm, [&](auto value) { return float_text(value, imm); });
  }
  if (type.is_scalar() && type.scalar() == ScalarKind::U64) {
    return std::to_string(static_cast<uint64_t>(imm));
  }
  return std::to_string(imm);
}

template <class Struct, size_t N>
std::string flags_text(const Struct& values, const text::Flag<Struct> (&flags)[N]) {
  std::string out;
  for (const auto& flag : flags) {
    if (values.*flag.member) out += " " + std::string(flag.name);
  }
  return out;
}

class Printer {
 public:
  Printer(const Function& f, const PrintOptions& options)
      : function_(f), options_(options), numbers_(f.inst_count(), kUnnumbered) {}

  std::string run() {
    number(function_.body);
    header();
    out_ += "{\n";
    block(function_.body, 1);
    out_ += "}\n";
    return std::move(out_);
  }

  // Prints what is a called function's own.
  std::string run(size_t number_in_module) {
    number(function_.body);
    out_ += "function ^" + std::to_string(number_in_module) + " " + quoted(function_.name) +
            " too_deep ~" + std::to_string(function_.too_deep) + "\n";
    for (size_t i = function_.kernel_params(); i < function_.params.size(); ++i)
      param(i, function_.params[i]);
    for (const Type result : function_.results) out_ += "result " + to_string(result) + "\n";
    for (const uint32_t array : function_.lent) out_ += "lent &" + std::to_string(array) + "\n";
    slots();
    out_ += "{\n";
    block(function_.body, 1);
    out_ += "}\n";
    return std::move(out_);
  }

  std::string run(const Inst& inst) {
    number(function_.body);
    line(inst);
    return std::move(out_);
  }

 private:
  static constexpr uint32_t kUnnumbered = ~0u;

  void number(const Block& b) {
    for (const Inst* inst : b.insts) {
      if (!inst->type.is_none()) numbers_[inst->id] = next_++;
      for (const Block& region : inst->regions) number(region);
    }
  }

  void header() {
    out_ += "kernel " + quoted(function_.name) + "\n";
    launch();
    options();
    for (size_t i = 0; i < function_.params.size(); ++i) param(i, function_.params[i]);
    slots();
    for (size_t i = 0; i < function_.arrays.size(); ++i) array(i, function_.arrays[i]);
    for (size_t i = 0; i < function_.failures.size(); ++i) failure(i, function_.failures[i]);
    for (size_t i = 0; i < function_.formats.size(); ++i) format(i, function_.formats[i]);
  }

  void slots() {
    for (size_t i = 0; i < function_.slots.size(); ++i) {
      const Slot& slot = function_.slots[i];
      out_ += "slot $" + std::to_string(i) + " " + quoted(slot.name) + ": " + to_string(slot.type) +
              "\n";
    }
  }

  void failure(size_t index, const Failure& f) {
    out_ += "failure ~" + std::to_string(index) + " " + quoted(f.raises) + " ";
    format(f.message);
    out_ += " function " + std::to_string(f.function) + " line " + std::to_string(f.line) +
            (f.assertion ? " assertion" : "") + "\n";
  }

  void format(size_t index, const PrintFormat& f) {
    out_ += "format ~" + std::to_string(index) + " ";
    format(f);
    out_ += "\n";
  }

  void format(const PrintFormat& f) {
    out_ += quoted(f.text);
    for (const DtypeId argument : f.arguments)
      out_ += " " + std::string(name_of(argument.scalar()));
  }

  void array(size_t index, const Allocation& a) {
    out_ += "array &" + std::to_string(index) + " " + quoted(a.name) + ": " + to_string(a.type);
    out_ += " shape";
    for (int64_t extent : a.shape) out_ += " " + std::to_string(extent);
    out_ += " strides";
    for (int64_t stride : a.strides) out_ += " " + std::to_string(stride);
    out_ += " align " + std::to_string(a.align);
    if (a.lent) out_ += " lent";
    if (a.is_constant()) out_ += " holds \"" + hex_bytes(a.contents) + '"';
    if (options_.spans) span(a.span);
    out_ += "\n";
  }

  void launch() {
    const LaunchFacts& facts = function_.launch;
    if (facts == LaunchFacts{}) return;
    out_ += "launch";
    if (facts.has_block()) {
      out_ += " block";
      for (uint32_t extent : facts.block) out_ += " " + std::to_string(extent);
    }
    out_ += flags_text(facts, text::kLaunchFlags) + "\n";
  }

  void options() {
    const std::string flags = flags_text(function_.options, text::kOptionFlags);
    if (flags != flags_text(Options{}, text::kOptionFlags)) out_ += "options" + flags + "\n";
    const LaunchBounds& bounds = function_.bounds;
    if (bounds == LaunchBounds{}) return;
    out_ += "bounds max_registers " + std::to_string(bounds.max_registers) + " min_blocks " +
            std::to_string(bounds.min_blocks) + "\n";
  }

  void param(size_t index, const Param& p) {
    out_ += "param @" + std::to_string(index) + " " + quoted(p.name) + ": " + to_string(p.type) +
            flags_text(p.facts, text::kArrayFlags);
    if (options_.spans) span(p.span);
    out_ += "\n";
  }

  void block(const Block& b, int depth) {
    for (const Inst* inst : b.insts) instruction(*inst, depth);
  }

  void instruction(const Inst& inst, int depth) {
    indent(depth);
    line(inst);
    if (options_.spans) span(inst.span);
    if (inst.regions.empty()) note(inst);
    regions(inst, depth);
    out_ += "\n";
  }

  void line(const Inst& inst) {
    if (!inst.type.is_none()) out_ += name(&inst) + " = ";
    out_ += info(inst.op).text;
    std::string_view separator = " ";
    if (const std::string text = immediate(inst); !text.empty()) {
      out_ += " " + text;
      separator = ", ";
    }
    for (const Inst* operand : inst.operands) {
      out_ += std::string(separator) + name(operand);
      separator = ", ";
    }
    if (!inst.type.is_none()) out_ += " : " + to_string(inst.type);
  }

  void regions(const Inst& inst, int depth) {
    size_t count = inst.regions.size();
    while (count > 0 && text::may_be_omitted(inst.op, count - 1) && inst.regions[count - 1].empty())
      --count;
    for (size_t i = 0; i < count; ++i) {
      const std::string_view word = text::region_word(inst.op, i);
      if (!word.empty()) out_ += " " + std::string(word);
      out_ += " {";
      if (i == 0) note(inst);
      out_ += "\n";
      block(inst.regions[i], depth + 1);
      indent(depth);
      out_ += "}";
    }
  }

  std::string immediate(const Inst& inst) const {
    switch (info(inst.op).imm) {
      case ImmKind::None:
        return "";
      case ImmKind::Value:
        return constant_text(inst.type, inst.imm);
      case ImmKind::Axis:
        return "#" + std::to_string(inst.imm);
      case ImmKind::Slot:
        return "$" + std::to_string(inst.imm);
      case ImmKind::Param:
        return "@" + std::to_string(inst.imm);
      case ImmKind::Array:
        return "&" + std::to_string(inst.imm);
      case ImmKind::Failure:
      case ImmKind::Format:
        return "~" + std::to_string(inst.imm);
      case ImmKind::Function:
        return "^" + std::to_string(inst.imm);
      case ImmKind::Leaf:
        return inst.imm == 0 ? "" : "+" + std::to_string(inst.imm);
      case ImmKind::Atomic: {
        const std::optional<AtomicSpec> spec = AtomicSpec::decoded(inst.imm);
        return spec ? to_string(*spec) : "?";
      }
      case ImmKind::Int:
      case ImmKind::Depth:
        return std::to_string(inst.imm);
    }
    return "?";
  }

  // %?: an operand that is nowhere in the function. The verifier refuses it, people may still look.
  std::string name(const Inst* inst) const {
    if (!inst || inst->id >= numbers_.size() || numbers_[inst->id] == kUnnumbered) return "%?";
    return "%" + std::to_string(numbers_[inst->id]);
  }

  void span(const Span& s) {
    if (!s.known()) return;
    out_ += " !" + std::to_string(s.file) + ":" + std::to_string(s.line) + ":" +
            std::to_string(s.column) + "-" + std::to_string(s.end_line) + ":" +
            std::to_string(s.end_column);
  }

  void note(const Inst& inst) {
    if (!options_.note) return;
    if (std::string text = options_.note(inst); !text.empty()) out_ += "  // " + text;
  }

  void indent(int depth) { out_.append(static_cast<size_t>(depth) * 2, ' '); }

  const Function& function_;
  const PrintOptions& options_;
  std::vector<uint32_t> numbers_;
  uint32_t next_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const Function& f) { return print(f, PrintOptions{}); }

std::string print(const Function& f, const PrintOptions& options) {
  std::string out = Printer(f, options).run();
  for (size_t i = 0; i < f.functions.size(); ++i) out += Printer(*f.functions[i], options).run(i);
  return out;
}

std::string print_line(const Function& f, const Inst& inst) {
  return Printer(f, PrintOptions{}).run(inst);
}

}  // namespace cuda_device::ir
