#include "ir/ir.h"

#include "support/check.h"

namespace cuda_device::ir {
namespace {

constexpr std::string_view kIfRegions[] = {"then", "else"};
constexpr std::string_view kWhileRegions[] = {"condition", "body", "else"};
constexpr std::string_view kForRegions[] = {"body", "else"};
constexpr std::string_view kScopeRegions[] = {"body"};

}  // namespace

std::span<const std::string_view> region_names(Op op) {
  switch (info(op).regions) {
    case Regions::None:
    case Regions::LeavesBlock:
      return {};
    case Regions::ThenElse:
      return kIfRegions;
    case Regions::ConditionBodyElse:
      return kWhileRegions;
    case Regions::BodyElse:
      return kForRegions;
    case Regions::Body:
      return kScopeRegions;
  }
  CD_UNREACHABLE("unknown regions");
}

bool ends_block(Op op) { return info(op).regions == Regions::LeavesBlock; }

int64_t canonical(ScalarKind kind, int64_t value) {
  if (is_bool(kind)) return value != 0;
  const int unused = 64 - bits_of(kind);
  const auto shifted = static_cast<uint64_t>(value) << unused;
  if (is_signed_int(kind)) return static_cast<int64_t>(shifted) >> unused;
  return static_cast<int64_t>(shifted >> unused);
}

double const_as_double(const Inst& constant) {
  CD_CHECK(constant.op == Op::Const, "not a constant");
  return float_of_bits(constant.type.scalar(), constant.imm);
}

std::string to_string(Type t) {
  if (t.is_none()) return "none";
  if (t.is_scalar()) return std::string(name_of(t.scalar()));
  const RecordSize r = t.record();
  const std::string element =
      t.has_records() ? "record<" + std::to_string(r.bytes) + ", " + std::to_string(r.align) + ">"
                      : std::string(name_of(t.scalar()));
  const std::string inside = element + ", " + std::to_string(t.ndim);
  switch (t.space) {
    case AddressSpace::Global:
      return "array<" + inside + ">";
    case AddressSpace::Shared:
      return "array<" + inside + ", shared>";
    case AddressSpace::Local:
      return "array<" + inside + ", local>";
  }
  CD_UNREACHABLE("unknown address space");
}

const Function& called_function(const Function& f, const Inst& call) {
  return *f.module().functions.at(static_cast<size_t>(call.imm));
}

std::vector<Function*> functions_of(Function& kernel) {
  std::vector<Function*> all{&kernel};
  for (const auto& f : kernel.functions) all.push_back(f.get());
  return all;
}

std::vector<const Function*> functions_of(const Function& kernel) {
  std::vector<const Function*> all{&kernel};
  for (const auto& f : kernel.functions) all.push_back(f.get());
  return all;
}

Inst* Function::create(Op op, Type type, Span span) {
  Inst& inst = arena_.emplace_back();
  inst.op = op;
  inst.type = type;
  inst.span = span;
  inst.id = static_cast<uint32_t>(arena_.size() - 1);
  inst.regions.resize(region_names(op).size());
  return &inst;
}

}  // namespace cuda_device::ir
