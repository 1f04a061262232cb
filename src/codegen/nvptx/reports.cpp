#include "codegen/nvptx/reports.h"

#include "codegen/thread/opaque.h"
#include "support/print_format.h"

namespace cuda_device::codegen::nvptx {
namespace {

using llvm::Value;
using thread::in_memory;

constexpr unsigned kGlobal = 1;  // the address space

std::string percent_doubled(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '%') out += c;
  }
  return out;
}

// The shortest digits that always give the same number again are beyond C: these are enough.
std::string float_conversion(ScalarKind kind, const FormatSpec& spec) {
  if (!spec.type) return "." + std::to_string(round_trip_digits(kind)) + "g";
  return (spec.precision < 0 ? "" : "." + std::to_string(spec.precision)) + spec.type;
}

std::string conversion(ScalarKind kind, const FormatSpec& spec) {
  std::string out = "%";
  if (is_bool(kind)) return out + "s";
  if (spec.left) out += '-';
  if (spec.sign) out += spec.sign;
  if (spec.zeros) out += '0';
  if (spec.width > 0) out += std::to_string(spec.width);
  if (is_float(kind)) return out + float_conversion(kind, spec);
  const char plain = is_signed_int(kind) ? 'd' : 'u';
  return out + "ll" + (spec.type && spec.type != 'd' ? spec.type : plain);
}

Value* text(EmitContext& c, const std::string& characters) {
  Value* global = c.b.CreateGlobalString(characters, "text", kGlobal, c.kernel->getParent());
  return c.b.CreateAddrSpaceCast(global, c.b.getPtrTy());
}

// As it is given to a function of C with any number of arguments; eight bytes each.
Value* passed(EmitContext& c, const ir::Inst& print, size_t k) {
  const ScalarKind kind = print.operands[k]->type.scalar();
  Value* value = c.operand(print, k);
  if (is_bool(kind)) return c.b.CreateSelect(value, text(c, "True"), text(c, "False"));
  if (is_float(kind)) return c.arithmetic.convert(kind, ScalarKind::F64, value);
  return c.b.CreateIntCast(value, c.b.getInt64Ty(), is_signed_int(kind));
}

}  // namespace

std::string c_format(const PrintFormat& format) {
  std::string out;
  size_t k = 0;
  for (const FormatPiece& piece : pieces_of(format.text)) {
    out += percent_doubled(piece.text);
    if (!piece.value || k == format.arguments.size()) continue;
    if (piece.value->type == FormatSpec::kComplex) {
      const ScalarKind part = format.arguments[k].scalar();
      out += "(" + conversion(part, {}) + conversion(part, {.sign = '+'}) + "j)";
      k += 2;
      continue;
    }
    out += conversion(format.arguments[k++].scalar(), *piece.value);
  }
  return out;
}

// Inline assembly: LLVM knows of llvm.trap that nothing comes after, and cuts control flow there
// that ptxas would have to find again around barriers.
void emit_check(EmitContext& c, Value* holds) {
  llvm::BasicBlock *trap = c.new_block("trap"), *passed = c.new_block("passed");
  c.b.CreateCondBr(holds, passed, trap, llvm::MDBuilder(c.llvm()).createLikelyBranchWeights());
  c.b.SetInsertPoint(trap);
  auto* type = llvm::FunctionType::get(c.b.getVoidTy(), false);
  c.b.CreateCall(llvm::InlineAsm::get(type, "trap;", "~{memory}", /*hasSideEffects=*/true));
  c.b.CreateBr(passed);
  c.b.SetInsertPoint(passed);
}

void emit_print(EmitContext& c, const ir::Inst& print) {
  const PrintFormat& format = c.function.formats[static_cast<size_t>(print.imm)];
  llvm::SmallVector<Value*, 8> arguments;
  for (size_t k = 0; k < print.operands.size(); ++k) arguments.push_back(passed(c, print, k));
  auto* pointer = c.b.getPtrTy();
  auto printf =
      c.kernel->getParent()->getOrInsertFunction("vprintf", c.b.getInt32Ty(), pointer, pointer);
  Value* memory = in_memory(c, arguments);
  c.b.CreateCall(printf, {text(c, c_format(format)), memory});
}

}  // namespace cuda_device::codegen::nvptx
