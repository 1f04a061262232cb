// Typed structured IR. A Function owns its instructions; a Block is an ordered list of them;
// control instructions own regions (Blocks). A Python variable is a set of slots ("webs"), one type
// each; temporaries are SSA: an operand is defined earlier in the same Block or in an enclosing
// one.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"
#include "ir/type.h"
#include "support/facts.h"
#include "support/fast_math.h"
#include "support/float_format.h"
#include "support/launch_bounds.h"
#include "support/report.h"
#include "support/span.h"

namespace cuda_device::ir {

// The regions that an operation holds, by role, in order: {"condition", "body", "else"} of a while.
std::span<const std::string_view> region_names(Op op);
// Leaves its block: nothing may follow it there.
bool ends_block(Op op);

struct Inst;

struct Block {
  std::vector<Inst*> insts;
  bool empty() const { return insts.empty(); }
};

struct Inst {
  Op op = Op::Const;
  Type type;
  Span span;
  std::vector<Inst*> operands;
  // Axis, slot, parameter, array, depth, failure, format. For a constant the value: integers and
  // bool sign- or zero-extended to 64 bits by their type, floats as the bits of their own format
  // (float32 in the low 32).
  int64_t imm = 0;
  std::vector<Block> regions;
  uint32_t id = 0;  // dense in the function: side tables are vectors indexed by it
};

struct Slot {
  std::string name;  // of the Python variable, for people
  Type type;         // scalar
};

// Memory that the kernel asks for itself: one array for each block (Shared) or each thread (Local),
// or a constant one (Global), which nothing stores to. A call of shared_array in a loop is one
// allocation; inlined twice it is two.
struct Allocation {
  std::string name;  // of the Python variable, for people; may be empty
  Type type;         // array
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // bytes, not negative
  uint32_t align = 1;            // bytes, a power of two
  Span span;
  std::string contents = {};  // of a constant one, each of its bytes()
  bool lent = false;          // of the thread; the function that has it is given it by each caller

  uint64_t bytes() const;  // from the first element to after the last
  bool is_constant() const { return type.space == AddressSpace::Global; }
};

std::string_view kind_of(const Allocation& a);  // "shared", "local", "constant"

struct Param {
  std::string name;
  Type type;
  ArrayFacts facts;  // of arrays
  Span span;
};

struct Options : FastMath {
  bool fmad = true;  // contract a*b+c, by passes/simplify/contract_fma
};

// Calls that may be nested in one another: as many as Python allows by itself.
inline constexpr uint32_t kMostNestedCalls = 1000;

// A kernel, or a function that is called (docs/decisions/0055). A kernel and its `functions` are a
// module. All functions of a module have the same arrays, failures, formats, launch facts and
// options, and the kernel's parameters, which in each of them mean the kernel's arguments; a
// function that is called has its own parameters, scalars, after these. A call has an operand for
// each of these, then a local array of the caller for each that it lends.
struct Function {
  std::string name;
  std::vector<Param> params;
  std::vector<Slot> slots;
  std::vector<Allocation> arrays;
  std::vector<Failure> failures;     // of checks
  std::vector<PrintFormat> formats;  // of prints
  Block body;
  LaunchFacts launch;
  Options options;
  LaunchBounds bounds;

  // What `call` names, in a kernel and in each of these.
  std::vector<std::unique_ptr<Function>> functions;
  // What a called function has: the kernel of its module; what `return` gives; the arrays that its
  // callers lend it, by number in the table; the number of the failure where calls are nested
  // too deep.
  const Function* kernel = nullptr;
  std::vector<Type> results;
  std::vector<uint32_t> lent;
  uint32_t too_deep = 0;

  Inst* create(Op op, Type type, Span span = {});
  const Function& module() const { return kernel ? *kernel : *this; }
  // The parameters of the module's kernel.
  size_t kernel_params() const { return module().params.size(); }
  // Whether it is a part of a module of several functions.
  bool has_calls() const { return !module().functions.empty(); }
  uint32_t inst_count() const { return static_cast<uint32_t>(arena_.size()); }

 private:
  std::deque<Inst> arena_;  // stable addresses
};

// Bytes from the beginning of the element to the scalar that a load or store accesses.
inline int64_t leaf_offset(const Inst& i) { return info(i.op).imm == ImmKind::Leaf ? i.imm : 0; }

// Regions of a control instruction by role.
inline Block& then_block(Inst& i) { return i.regions[0]; }
inline Block& else_block(Inst& i) { return i.regions[1]; }

// Appends to a block. The frontend, passes and the parser all build through it; types of results
// follow op.def.
class Builder {
 public:
  Builder(Function& f, Block& b) : function_(&f), block_(&b) {}
  Function& function() { return *function_; }
  Block& block() { return *block_; }
  void set_block(Block& b) { block_ = &b; }
  // Goes on in another function, at the end of its body.
  void set_function(Function& f) {
    function_ = &f;
    block_ = &f.body;
  }
  void set_span(Span s) { span_ = s; }
  // Whether the products of floats that come next stay apart from sums: each is converted to its
  // own format (passes/simplify/contract_fma.h).
  void set_products_apart(bool apart) { products_apart_ = apart; }
  bool products_apart() const { return products_apart_; }

  // Any op whose result type follows from its operands.
  Inst* op(Op op, std::initializer_list<Inst*> operands, int64_t imm = 0);
  // Any op with an explicit type.
  Inst* typed(Op op, Type type, std::vector<Inst*> operands, int64_t imm = 0);
  Inst* const_int(Type type, int64_t value);   // integers and bool
  Inst* const_float(Type type, double value);  // rounds to float32 where the type says so
  Inst* slot_load(uint32_t slot);
  Inst* slot_store(uint32_t slot, Inst* value);
  // A control instruction with `regions` empty regions.
  Inst* control(Op op, std::vector<Inst*> operands, int regions, int64_t imm = 0);

 private:
  Function* function_;
  Block* block_;
  Span span_;
  bool products_apart_ = false;
};

// The function that a `call` of f names.
const Function& called_function(const Function& f, const Inst& call);
// The kernel, then its functions.
std::vector<Function*> functions_of(Function& kernel);
std::vector<const Function*> functions_of(const Function& kernel);

double const_as_double(const Inst& constant);  // of a float constant

// Where the arrays of one address space lie in the memory of a block or thread, in the order of the
// table.
struct MemoryLayout {
  std::vector<uint64_t> offsets;  // by array; 0 for those of the other space
  uint64_t bytes = 0;
  uint32_t align = 1;
};
MemoryLayout memory_layout(const Function& f, AddressSpace space);  // allocation.cpp

bool contains(const Block& block, Op op);  // in it or in a region inside

// The conventions of Inst::imm for a value of a scalar type.
int64_t canonical(ScalarKind kind,
                  int64_t value);  // wraps to the width, then extends; bool: 0 or 1
using cuda_device::float_bits;
using cuda_device::float_of_bits;

struct PrintOptions {
  bool spans = false;  // ` !file:line:column-end_line:end_column` after each instruction
  std::function<std::string(const Inst&)>
      note;  // printed as a comment after the instruction where not empty
};
std::string print(const Function& f);  // printer.cpp
std::string print(const Function& f, const PrintOptions& options);
std::string print_line(const Function& f, const Inst& inst);  // its own line, without its regions

struct ParseError : std::runtime_error {
  ParseError(int line, const std::string& message)
      : std::runtime_error("line " + std::to_string(line) + ": " + message), line(line) {}
  int line;  // 1-based
};
std::unique_ptr<Function> parse(std::string_view text);  // parser.cpp; throws ParseError

std::vector<std::string> verify(const Function& f);          // verifier.cpp; empty = valid
void verify_or_throw(const Function& f, const char* after);  // InternalError naming the pass

}  // namespace cuda_device::ir
