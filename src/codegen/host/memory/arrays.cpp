#include "codegen/host/memory/arrays.h"

#include <map>

#include "codegen/constant_arrays.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using ir::Op;
using llvm::Value;

namespace {

constexpr const char* kUnknownArray = "an array that the host does not know";

// The bytes of each scalar of an element that is read or written as one, by its offset.
class Scalars {
 public:
  void add(const Inst& access) {
    const ir::Type type = ir::is_plain_load(access) ? access.type : access.operands.back()->type;
    const int64_t bytes = bytes_of(type.scalar());
    same_ &= bytes_.try_emplace(ir::leaf_offset(access), bytes).first->second == bytes;
  }
  // Whether none is a part of another: such as 8 bytes where elsewhere there are two of 4.
  bool apart() const {
    int64_t end = 0;
    for (const auto& [offset, bytes] : bytes_) {
      if (offset < end) return false;
      end = offset + bytes;
    }
    return same_;
  }

 private:
  std::map<int64_t, int64_t> bytes_;
  bool same_ = true;
};

// Those whose elements are seen in one way.
std::vector<bool> interleaved_arrays(const ir::Function& f) {
  std::vector<bool> interleaved(f.arrays.size(), true);
  std::vector<Scalars> scalars(f.arrays.size());
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (ir::is_plain_load(inst) || ir::is_plain_store(inst)) {
      const Inst* array = ir::whole_array(*ir::access_of(inst)->array);
      if (array && array->op == Op::Array) scalars[static_cast<size_t>(array->imm)].add(inst);
    }
    if (inst.op != Op::View) return;
    const Inst* array = ir::whole_array(inst);
    if (array && array->op == Op::Array &&
        (array->type.record() != inst.type.record() ||
         array->type.element_bytes() != inst.type.element_bytes()))
      interleaved[static_cast<size_t>(array->imm)] = false;
  });
  for (size_t i = 0; i < scalars.size(); ++i)
    if (!scalars[i].apart()) interleaved[i] = false;
  return interleaved;
}

// Records that a lane may have in one register.
bool is_integer_size(uint32_t bytes) { return bytes <= 8 && llvm::isPowerOf2_32(bytes); }

}  // namespace

Arrays::Arrays(EmitContext& context, LaneValues& values, LaunchValues& launch, Arena& arena)
    : c_(context),
      values_(values),
      launch_(launch),
      arena_(arena),
      changing_(ir::changing_arrays(context.source.function)) {
  for (const abi::WorkerTable& table : c_.source.tables)
    tables_.try_emplace(table.param, tables_.size());
  const ir::Function& f = c_.source.function;
  llvm::MDBuilder metadata(c_.llvm());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(f.name);
  for (const ir::Param& p : f.params) {
    const bool alone = p.type.is_array() && p.facts.no_alias;
    scopes_.push_back(alone ? metadata.createAnonymousAliasScope(domain, p.name) : nullptr);
  }
  interleaved_ = interleaved_arrays(f);
  for (const ir::Allocation& a : f.arrays)
    scopes_.push_back(metadata.createAnonymousAliasScope(domain, a.name));
  scopes_.push_back(metadata.createAnonymousAliasScope(domain, "dynamic_shared"));
}

void Arrays::create() {
  const ir::Function& f = c_.source.function;
  const uint64_t lanes = arena_.gangs() * c_.width();
  offsets_.resize(f.arrays.size());
  std::vector<bool> placed(f.arrays.size());
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (inst.op != Op::Array || placed[static_cast<size_t>(inst.imm)]) return;
    const ir::Allocation& a = f.arrays[static_cast<size_t>(inst.imm)];
    if (a.is_constant()) return;
    const bool local = a.type.space == ir::AddressSpace::Local;
    offsets_[static_cast<size_t>(inst.imm)] =
        arena_.reserve(llvm::alignTo(a.bytes(), a.align) * (local ? lanes : 1), a.align);
    placed[static_cast<size_t>(inst.imm)] = true;
  });
}

llvm::MDNode* Arrays::list(llvm::ArrayRef<llvm::Metadata*> scopes) {
  return scopes.empty() ? nullptr : llvm::MDNode::get(c_.llvm(), scopes);
}

void Arrays::note_scopes(Element& element, size_t scope) {
  llvm::SmallVector<llvm::Metadata*, 8> others;
  for (size_t i = 0; i < scopes_.size(); ++i)
    if (i != scope && scopes_[i]) others.push_back(scopes_[i]);
  if (scopes_[scope]) element.scope = list(scopes_[scope]);
  element.no_alias = list(others);
}

// One for all lanes, or a vector of them.
Value* Arrays::number(const Inst& value) {
  return values_.of(value).uniform() ? values_.scalar(value, ScalarKind::I64)
                                     : values_.vector(value, ScalarKind::I64);
}

Value* Arrays::extent(const Inst& array, unsigned axis) {
  switch (array.op) {
    case Op::Param:
      return launch_.extent(static_cast<uint32_t>(array.imm), axis);
    case Op::Array:
      return c_.b.getInt64(static_cast<uint64_t>(
          c_.source.function.arrays[static_cast<size_t>(array.imm)].shape[axis]));
    case Op::DynamicShared:
      return launch_.dynamic_shared_bytes();
    default:
      CD_CHECK(array.op == Op::View, kUnknownArray);
      return number(*array.operands[2 + axis]);
  }
}

Value* Arrays::stride(const Inst& array, unsigned axis) {
  switch (array.op) {
    case Op::Param:
      return launch_.stride(static_cast<uint32_t>(array.imm), axis);
    case Op::Array:
      return c_.b.getInt64(static_cast<uint64_t>(
          c_.source.function.arrays[static_cast<size_t>(array.imm)].strides[axis]));
    case Op::DynamicShared:
      return c_.b.getInt64(1);
    default:
      CD_CHECK(array.op == Op::View, kUnknownArray);
      return number(*array.operands[2 + array.type.ndim + axis]);
  }
}

Value* Arrays::in_table(const Inst& array) {
  const Inst* whole = ir::whole_array(array);
  if (!whole || whole->op != Op::Param) return nullptr;
  const auto param = static_cast<uint32_t>(whole->imm);
  const auto table = tables_.find(param);
  return table == tables_.end() ? nullptr : launch_.has_table(param, table->second);
}

// A thread's own array has the scalars at one place of the record of all lanes side by side.
ArrayBase Arrays::accessed(const Inst& access) {
  const Inst& array = *access.operands[0];
  const ir::Type scalar = access.type.is_none() ? access.operands.back()->type : access.type;
  ArrayBase p = base(array);
  p.element.type = memory_type(c_.llvm(), scalar.scalar());
  if (p.interleaved) p.lane_step = p.element.bytes();
  if (!array.type.has_records()) return p;
  p.own_lines = false;
  const auto into = static_cast<uint64_t>(ir::leaf_offset(access));
  const uint32_t record = array.type.record().bytes;
  if (!p.interleaved && ir::is_plain_load(access) && is_integer_size(record)) {
    p.element.type = llvm::Type::getIntNTy(c_.llvm(), record * 8);
    p.packed = into;
    return p;
  }
  p.element.align = llvm::commonAlignment(p.element.align, into);
  p.pointer = c_.b.CreateConstGEP1_64(c_.b.getInt8Ty(), p.pointer, into * p.unit);
  if (p.interleaved) return p;
  p.record_bytes = record;
  p.into = into;
  return p;
}

ArrayBase Arrays::accessed_record(const Inst& access) {
  const Inst& array = *access.operands[0];
  const uint32_t record = array.type.record().bytes;
  ArrayBase p = base(array);
  p.own_lines = false;
  p.element.type = llvm::Type::getIntNTy(c_.llvm(), is_integer_size(record) ? record * 8 : 8);
  if (!is_integer_size(record)) p.record_bytes = record;
  return p;
}

ArrayBase Arrays::base(const Inst& array) {
  switch (array.op) {
    case Op::Param:
      return parameter(array);
    case Op::Array:
      return own(array);
    case Op::DynamicShared:
      return dynamic_shared(array);
    default:
      CD_CHECK(array.op == Op::View, kUnknownArray);
      return view(array);
  }
}

ArrayBase Arrays::parameter(const Inst& array) {
  const auto param = static_cast<uint32_t>(array.imm);
  const ArrayFacts& facts = c_.source.function.params[param].facts;
  ArrayBase p;
  p.element.align = llvm::Align(facts.element_aligned ? array.type.element_align() : 1);
  p.element.invariant = facts.no_alias && !changing_[param];
  note_scopes(p.element, param);
  const auto table = tables_.find(param);
  p.pointer =
      table == tables_.end() ? launch_.data(param) : launch_.updated_data(param, table->second);
  for (unsigned axis = 0; axis < array.type.ndim; ++axis) p.strides.push_back(stride(array, axis));
  p.offset = facts.fits_31 ? ScalarKind::I32 : ScalarKind::I64;
  return p;
}

// Read-only data of the image.
Value* Arrays::constant(size_t array) {
  return constant_variable(*c_.b.GetInsertBlock()->getModule(), c_.source.function.arrays[array],
                           "constant$" + std::to_string(array), 0);
}

ArrayBase Arrays::own(const Inst& array) {
  const auto index = static_cast<size_t>(array.imm);
  const ir::Allocation& a = c_.source.function.arrays[index];
  ArrayBase p;
  p.element.align = llvm::Align(array.type.element_align());
  note_scopes(p.element, c_.source.function.params.size() + index);
  p.element.invariant = a.is_constant();
  p.pointer = a.is_constant() ? constant(index) : arena_.at(offsets_[index]);
  p.offset = ScalarKind::I32;
  p.own_lines = a.type.space == ir::AddressSpace::Shared;
  if (a.type.space == ir::AddressSpace::Local) {
    const uint64_t bytes = llvm::alignTo(a.bytes(), a.align);
    p.unit = interleaved_[index] ? c_.width() : 1;
    p.interleaved = interleaved_[index];
    p.lane_step = bytes;
    Value* gang = c_.b.CreateZExt(c_.gang, c_.b.getInt64Ty());
    Value* before = c_.b.CreateMul(gang, c_.b.getInt64(bytes * c_.width()));
    p.pointer = c_.b.CreateInBoundsGEP(c_.b.getInt8Ty(), p.pointer, before);
  }
  for (int64_t stride : a.strides)
    p.strides.push_back(c_.b.getInt64(static_cast<uint64_t>(stride) * p.unit));
  return p;
}

ArrayBase Arrays::dynamic_shared(const Inst&) {
  ArrayBase p;
  note_scopes(p.element, scopes_.size() - 1);
  p.pointer = launch_.dynamic_shared();
  p.strides.push_back(c_.b.getInt64(1));
  p.offset = ScalarKind::I32;
  return p;
}

// As far as its array goes: of a thread's own array, each lane sees its part.
ArrayBase Arrays::view(const Inst& array) {
  ArrayBase p = base(*array.operands[0]);
  p.element.align = llvm::Align(1);
  p.own_lines = false;  // not looked into: views begin where they like
  p.offsets.push_back(array.operands[1]);
  p.strides.clear();
  for (unsigned axis = 0; axis < array.type.ndim; ++axis) {
    Value* bytes = stride(array, axis);
    p.strides.push_back(c_.b.CreateMul(bytes, llvm::ConstantInt::get(bytes->getType(), p.unit)));
  }
  return p;
}

}  // namespace cuda_device::codegen::host
