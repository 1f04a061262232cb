// The inverse of printer.cpp: docs/ir.md has the grammar. Only what the text cannot express is
// refused here; whether the function makes sense is the verifier's question.
#include <limits>
#include <unordered_map>

#include "ir/atomic.h"
#include "ir/cursor.h"
#include "ir/ir.h"
#include "ir/parse_constant.h"
#include "ir/text.h"

namespace cuda_device::ir {
namespace {

constexpr int kMaxNesting = 1000;  // regions are read recursively

const std::unordered_map<std::string_view, Op>& ops_by_text() {
  static const std::unordered_map<std::string_view, Op> map = {
#define OP(name, text, ...) {text, Op::name},
#include "ir/op.def"
  };
  return map;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text) {}

  std::unique_ptr<Function> run() {
    in_.expect_word("kernel");
    function_->name = in_.quoted();
    while (!in_.accept('{')) header_line();
    block(function_->body);
    std::unique_ptr<Function> kernel = std::move(function_);
    while (!in_.at_end()) {
      if (!in_.accept_word("function")) in_.fail("text after the end of the kernel");
      called(*kernel);
    }
    return kernel;
  }

 private:
  void called(Function& kernel) {
    index('^', kernel.functions.size());
    function_ = std::make_unique<Function>();
    values_.clear();
    function_->kernel = &kernel;
    function_->params = kernel.params;
    function_->arrays = kernel.arrays;
    function_->failures = kernel.failures;
    function_->formats = kernel.formats;
    function_->launch = kernel.launch;
    function_->options = kernel.options;
    function_->name = in_.quoted();
    in_.expect_word("too_deep");
    in_.expect('~');
    function_->too_deep = number32();
    while (!in_.accept('{')) called_line();
    block(function_->body);
    kernel.functions.push_back(std::move(function_));
  }

  void called_line() {
    if (in_.accept_word("param")) return param();
    if (in_.accept_word("slot")) return slot();
    if (in_.accept_word("result")) return function_->results.push_back(type());
    if (in_.accept_word("lent")) return lent();
    in_.fail("expected param, slot, result, lent or '{'");
  }

  void lent() {
    in_.expect('&');
    function_->lent.push_back(number32());
  }

  void header_line() {
    if (in_.accept_word("launch")) return launch();
    if (in_.accept_word("options")) return options();
    if (in_.accept_word("bounds")) return bounds();
    if (in_.accept_word("param")) return param();
    if (in_.accept_word("slot")) return slot();
    if (in_.accept_word("array")) return array();
    if (in_.accept_word("failure")) return failure();
    if (in_.accept_word("format")) return format();
    in_.fail("expected launch, options, bounds, param, slot, array, failure, format or '{'");
  }

  template <class Struct, size_t N>
  void flag(Struct& values, const text::Flag<Struct> (&flags)[N]) {
    const std::string_view name = in_.word();
    for (const auto& flag : flags) {
      if (flag.name == name) {
        values.*flag.member = true;
        return;
      }
    }
    in_.fail("unknown fact or option '" + std::string(name) + "'");
  }

  void launch() {
    while (!in_.at_line_end()) {
      if (in_.accept_word("block")) {
        for (uint32_t& extent : function_->launch.block) extent = number32();
      } else {
        flag(function_->launch, text::kLaunchFlags);
      }
    }
  }

  void options() {
    for (const auto& known : text::kOptionFlags) function_->options.*known.member = false;
    while (!in_.at_line_end()) flag(function_->options, text::kOptionFlags);
  }

  void bounds() {
    in_.expect_word("max_registers");
    function_->bounds.max_registers = number32();
    in_.expect_word("min_blocks");
    function_->bounds.min_blocks = number32();
  }

  void param() {
    Param p;
    index('@', function_->params.size());
    p.name = in_.quoted();
    in_.expect(':');
    p.type = type();
    while (!in_.at_line_end() && in_.peek() != '!') flag(p.facts, text::kArrayFlags);
    if (!in_.at_line_end()) p.span = span();
    function_->params.push_back(std::move(p));
  }

  void slot() {
    Slot s;
    index('$', function_->slots.size());
    s.name = in_.quoted();
    in_.expect(':');
    s.type = type();
    function_->slots.push_back(std::move(s));
  }

  void array() {
    Allocation a;
    index('&', function_->arrays.size());
    a.name = in_.quoted();
    in_.expect(':');
    a.type = type();
    in_.expect_word("shape");
    for (int axis = 0; axis < a.type.ndim; ++axis) a.shape.push_back(in_.integer());
    in_.expect_word("strides");
    for (int axis = 0; axis < a.type.ndim; ++axis) a.strides.push_back(in_.integer());
    in_.expect_word("align");
    a.align = number32();
    a.lent = !in_.at_line_end() && in_.accept_word("lent");
    if (!in_.at_line_end() && in_.accept_word("holds")) a.contents = bytes();
    if (!in_.at_line_end()) a.span = span();
    function_->arrays.push_back(std::move(a));
  }

  // Two hexadecimal digits a byte.
  std::string bytes() {
    const std::string digits = in_.quoted();
    std::string out;
    for (size_t i = 0; i + 1 < digits.size(); i += 2) {
      const std::string byte = digits.substr(i, 2);
      if (byte.find_first_not_of("0123456789abcdef") != std::string::npos) in_.fail("no byte");
      out += static_cast<char>(std::stoi(byte, nullptr, 16));
    }
    return out;
  }

  void failure() {
    Failure f;
    index('~', function_->failures.size());
    f.raises = in_.quoted();
    f.message.text = in_.quoted();
    while (!in_.accept_word("function")) argument(f.message);
    f.function = number32();
    in_.expect_word("line");
    f.line = static_cast<int32_t>(in_.integer());
    f.assertion = in_.accept_word("assertion");
    function_->failures.push_back(std::move(f));
  }

  void format() {
    PrintFormat f;
    index('~', function_->formats.size());
    f.text = in_.quoted();
    while (!in_.at_line_end()) argument(f);
    function_->formats.push_back(std::move(f));
  }

  void argument(PrintFormat& f) {
    const Type type = this->type();
    if (!type.is_scalar()) in_.fail("what is printed is a scalar");
    f.arguments.push_back(type.scalar());
  }

  void index(char sigil, size_t expected) {
    in_.expect(sigil);
    if (in_.number() != expected)
      in_.fail("expected " + std::string(1, sigil) + std::to_string(expected));
  }

  uint32_t number32() {
    const uint64_t value = in_.number();
    if (value > std::numeric_limits<uint32_t>::max()) in_.fail("number too large");
    return static_cast<uint32_t>(value);
  }

  Type type() {
    const std::string_view name = in_.word();
    if (name == "array") return array_type();
    if (auto kind = scalar_named(name)) return Type::of(*kind);
    in_.fail("unknown type '" + std::string(name) + "'");
  }

  Type array_type() {
    in_.expect('<');
    RecordSize record;
    Type element;
    if (in_.accept_word("record"))
      record = record_size();
    else
      element = type();
    if (!record.bytes && !element.is_scalar())
      in_.fail("an array's element is a scalar or a record");
    in_.expect(',');
    const uint64_t ndim = in_.number();
    if (ndim > std::numeric_limits<uint8_t>::max()) in_.fail("too many dimensions");
    AddressSpace space = AddressSpace::Global;
    if (in_.accept(',')) space = address_space();
    in_.expect('>');
    if (record.bytes) return Type::array(record, static_cast<int>(ndim), space);
    return Type::array(element.scalar(), static_cast<int>(ndim), space);
  }

  RecordSize record_size() {
    RecordSize record;
    in_.expect('<');
    record.bytes = number32();
    in_.expect(',');
    record.align = number32();
    in_.expect('>');
    if (!is_sane(record)) in_.fail("no record has this size and alignment");
    return record;
  }

  AddressSpace address_space() {
    if (in_.accept_word("shared")) return AddressSpace::Shared;
    if (in_.accept_word("local")) return AddressSpace::Local;
    in_.fail("unknown address space");
  }

  Span span() {
    Span s;
    in_.expect('!');
    s.file = number32();
    in_.expect(':');
    s.line = number32();
    in_.expect(':');
    s.column = number32();
    in_.expect('-');
    s.end_line = number32();
    in_.expect(':');
    s.end_column = number32();
    return s;
  }

  void block(Block& b) {
    if (++nesting_ > kMaxNesting) in_.fail("regions nested too deeply");
    while (!in_.accept('}')) instruction(b);
    --nesting_;
  }

  void instruction(Block& b) {
    std::string_view result;
    if (in_.accept('%')) {
      result = in_.word();
      in_.expect('=');
    }
    Inst* inst = function_->create(op(), Type::none());
    b.insts.push_back(inst);
    std::string_view constant;
    const bool has_immediate = immediate(*inst, constant);
    operands(*inst, has_immediate);
    if (!result.empty()) {
      in_.expect(':');
      inst->type = type();
    }
    if (info(inst->op).imm == ImmKind::Value) value(*inst, constant);
    if (!in_.at_line_end() && in_.peek() == '!') inst->span = span();
    regions(*inst);
    if (!result.empty() && !values_.emplace(result, inst).second) {
      in_.fail("%" + std::string(result) + " is defined twice");
    }
  }

  Op op() {
    const std::string_view name = in_.word();
    auto found = ops_by_text().find(name);
    if (found == ops_by_text().end()) in_.fail("unknown operation '" + std::string(name) + "'");
    return found->second;
  }

  // A constant's text waits for its type, which stands after it.
  bool immediate(Inst& inst, std::string_view& constant) {
    switch (info(inst.op).imm) {
      case ImmKind::None:
        return false;
      case ImmKind::Value:
        constant = in_.constant();
        return true;
      case ImmKind::Axis:
        return sigil_immediate(inst, '#');
      case ImmKind::Slot:
        return sigil_immediate(inst, '$');
      case ImmKind::Param:
        return sigil_immediate(inst, '@');
      case ImmKind::Array:
        return sigil_immediate(inst, '&');
      case ImmKind::Failure:
      case ImmKind::Format:
        return sigil_immediate(inst, '~');
      case ImmKind::Function:
        return sigil_immediate(inst, '^');
      case ImmKind::Leaf:
        return in_.peek() == '+' && sigil_immediate(inst, '+');
      case ImmKind::Atomic:
        return atomic_immediate(inst);
      case ImmKind::Int:
      case ImmKind::Depth:
        inst.imm = in_.integer();
        return true;
    }
    return false;
  }

  bool atomic_immediate(Inst& inst) {
    const std::string_view text = in_.word();
    const std::optional<AtomicSpec> spec = atomic_named(text);
    if (!spec) in_.fail("'" + std::string(text) + "' is no kind, order and scope");
    inst.imm = spec->encoded();
    return true;
  }

  bool sigil_immediate(Inst& inst, char sigil) {
    in_.expect(sigil);
    inst.imm = in_.integer();
    return true;
  }

  void value(Inst& inst, std::string_view constant) {
    auto parsed = parse_constant(constant, inst.type);
    if (!parsed) {
      in_.fail("'" + std::string(constant) + "' is no constant of type " + to_string(inst.type));
    }
    inst.imm = *parsed;
  }

  void operands(Inst& inst, bool behind_immediate) {
    if (in_.at_line_end()) return;
    bool more = behind_immediate ? in_.accept(',') : in_.peek() == '%';
    while (more) {
      in_.expect('%');
      inst.operands.push_back(operand(in_.word()));
      more = in_.accept(',');
    }
  }

  Inst* operand(std::string_view name) {
    auto found = values_.find(name);
    if (found == values_.end()) in_.fail("%" + std::string(name) + " is not defined above");
    return found->second;
  }

  void regions(Inst& inst) {
    for (size_t i = 0; i < inst.regions.size(); ++i) {
      const std::string_view word = text::region_word(inst.op, i);
      if (!word.empty() && !in_.accept_word(word)) {
        if (text::may_be_omitted(inst.op, i)) continue;
        in_.fail("expected '" + std::string(word) + "'");
      }
      in_.expect('{');
      block(inst.regions[i]);
    }
  }

  Cursor in_;
  std::unique_ptr<Function> function_ = std::make_unique<Function>();
  std::unordered_map<std::string_view, Inst*> values_;
  int nesting_ = 0;
};

}  // namespace

std::unique_ptr<Function> parse(std::string_view text) { return Parser(text).run(); }

}  // namespace cuda_device::ir
