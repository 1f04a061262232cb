// One pass over a kernel: infers and emits in one walk. It is repeated (lower.cpp) until the types
// of all webs stand still; the IR of that last pass is the result and only its diagnostics count.
//
// Every expression gives a Value. After an error it is Unknown, which everything lets through in
// silence, so that one mistake is reported once and independent mistakes are all reported.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/instance.h"
#include "frontend/policy.h"
#include "support/diagnostic.h"

namespace cuda_device::frontend {

struct Intrinsic;

// What survives a pass.
struct Session {
  explicit Session(const Request& r) : request(r), policy(policy_of(r.dialect)) {}
  const Request& request;
  const Policy& policy;
  std::unordered_map<const syntax::Function*, Webs> webs;
  std::unique_ptr<Instance> root;
  bool explaining = false;  // something is wrong: passes find out what follows from what
  // Mistakes that made a variable fail. Where they read that variable, as `x = x + "a"` does, no
  // later pass meets them again.
  std::vector<Diagnostic> causes;
  // What the calls of local_array and shared_array ask for: a Value knows the array by its number
  // here, in every pass. A place is the calls that lead to it, its own last; copies of an unrolled
  // loop that ask for the same have the same.
  struct Place {
    std::vector<const syntax::Node*> calls;
    ScalarKind element;
    std::vector<int64_t> shape, strides;
    uint32_t align;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  std::map<Place, uint32_t> allocation_at;
  std::vector<ir::Allocation> allocations;

  const Webs& webs_of(const syntax::Function& f);
  std::unique_ptr<Instance> make_instance(uint32_t function);
};

// An evaluated call.
struct Arguments {
  const syntax::Call* node = nullptr;
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
  bool has_unknown() const;
};

class Lowerer {
 public:
  using Node = syntax::Node;
  using Nodes = std::vector<syntax::Node*>;
  using Inst = ir::Inst;
  using Op = ir::Op;

  // as_kernel: function 0 returns nothing; otherwise result() has what it returns.
  Lowerer(Session& session, bool as_kernel);
  void run();

  bool changed() const { return changed_; }  // some web's type grew
  bool demoted() const { return demoted_; }  // some web was found not to be constant
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  // A read of a variable that has no type, though nothing wrong was seen in what it is assigned.
  struct Unresolved {
    const syntax::Name* node;
    WebState* state;
  };
  const std::optional<Unresolved>& unresolved() const { return unresolved_; }
  bool failed_more() const { return failed_more_; }  // some web was found to have failed
  bool met_unknown() const { return met_unknown_; }
  const Value& result() const { return result_; }
  std::unique_ptr<ir::Function> take() { return std::move(function_); }

  // --- intrinsics (intrinsics.def); each gets an evaluated call ---
  Value call_math(const Arguments& a, const Intrinsic& i);
  Value call_math2(const Arguments& a, const Intrinsic& i);
  Value call_hypot(const Arguments& a, const Intrinsic& i);
  Value call_classify(const Arguments& a, const Intrinsic& i);
  Value call_isclose(const Arguments& a, const Intrinsic& i);
  Value call_log(const Arguments& a, const Intrinsic& i);
  Value call_degrees(const Arguments& a, const Intrinsic& i);
  Value call_radians(const Arguments& a, const Intrinsic& i);
  Value call_ldexp(const Arguments& a, const Intrinsic& i);
  Value call_frexp(const Arguments& a, const Intrinsic& i);
  Value call_modf(const Arguments& a, const Intrinsic& i);
  Value call_gcd(const Arguments& a, const Intrinsic& i);
  Value call_fma(const Arguments& a, const Intrinsic& i);
  Value call_cbrt(const Arguments& a, const Intrinsic& i);
  Value call_bits(const Arguments& a, const Intrinsic& i);
  Value call_tid(const Arguments& a, const Intrinsic& i);
  Value call_array(const Arguments& a, const Intrinsic& i);
  Value call_dynamic_shared(const Arguments& a, const Intrinsic& i);
  Value call_syncthreads(const Arguments& a, const Intrinsic& i);
  Value call_vote(const Arguments& a, const Intrinsic& i);
  Value call_abs(const Arguments& a, const Intrinsic& i);
  Value call_min_max(const Arguments& a, const Intrinsic& i);
  Value call_round(const Arguments& a, const Intrinsic& i);
  Value call_pow(const Arguments& a, const Intrinsic& i);
  Value call_divmod(const Arguments& a, const Intrinsic& i);
  Value call_len(const Arguments& a, const Intrinsic& i);
  Value call_range(const Arguments& a, const Intrinsic& i);
  Value call_tuple(const Arguments& a, const Intrinsic& i);
  Value call_print(const Arguments& a, const Intrinsic& i);

 private:
  // One level deeper in the source, called functions included, while it lives.
  class Level {
   public:
    explicit Level(uint32_t& levels) : levels_(++levels) {}
    ~Level() { --levels_; }
    Level(const Level&) = delete;

   private:
    uint32_t& levels_;
  };
  bool too_deep(const Node* node);

  // An expression evaluated into a block of its own, to be placed later.
  struct Captured {
    ir::Block block;
    Value value;
  };
  template <class F>
  Captured capture(F&& f);

  // --- parameters.cpp ---
  void bind_kernel_arguments();
  Value argument_value(const ArgumentType& type, const std::string& name, const Node* parameter);
  Value scalar_argument(const ArgumentType& type, const std::string& name, const Node* parameter);
  uint32_t add_parameter(const std::string& name, ir::Type type, const ArrayFacts& facts,
                         Span span);
  bool check_parameters(const syntax::Function& f, const Node* call);
  void check_kernel_annotation(const syntax::Function& f);

  // --- errors.cpp: each returns Unknown ---
  Value error(DiagCode code, const Node* node, std::vector<std::string> args = {});
  Value error_at(DiagCode code, Span span, std::vector<std::string> args, Span caret = {});
  Value operator_error(DiagCode code, const Node* node, const Node* left, const Node* right,
                       std::string_view sign, std::vector<std::string> args);
  // Of a value of the wrong kind; `args` say what was expected. Objects from outside have a message
  // of their own.
  Value wrong_kind(DiagCode code, const Node* node, const Value& value,
                   std::vector<std::string> args);
  Value array_choice(const std::string& what, const ArrayPair& arrays, const Node* node);
  Value not_implemented(const Node* node, const std::string& what);
  // `instead`: what to write.
  Value not_implemented(const Node* node, const std::string& what, const std::string& instead);
  Value unknown_name(const Node* node, const std::string& name);
  Value not_callable(const Node* node, const Value& value);
  Value silent();
  void fail(WebState& state);
  Value foreign_call(const Node* callee, const Value& value);
  std::string described(const Node* node, const Value& value) const;
  bool in_func() const;

  // --- statements.cpp ---
  void block(const Nodes& body, bool tail);
  void statement(const Node* node, bool tail);
  void statement_by_kind(const Node* node, bool tail);
  void lower_expression_statement(const syntax::Expr* node);
  void lower_if(const syntax::If* node, bool tail);
  void lower_return(const syntax::Return* node, bool tail);
  void return_value(const Node* node, const Value& value, bool tail);
  void leave(size_t scope);
  Value unsupported(const Node* node);

  // --- failures.cpp ---
  void lower_assert(const syntax::Assert* node);
  void lower_raise(const syntax::Raise* node);
  bool may_fail(const Node* node, const char* statement);
  void fail_without_branch(Inst& branch);
  std::optional<Failure> failure_of(const Node* exception);
  void check(const Value& holds, const Node* node, Failure failure);

  // --- print.cpp ---
  struct Print {  // being put together
    PrintFormat format;
    std::vector<Inst*> values;
  };
  bool add_to(Print& print, const Value& value, const Node* node);
  bool add_number(Print& print, const Value& number, const Node* node);
  bool add_tuple(Print& print, const Value& tuple, const Node* node);
  bool add_f_string(Print& print, const Value& text);
  bool add_field(Print& print, const Value& value, const syntax::FormattedValue* field);
  std::optional<Value> with_format(const Value& value, const std::string& text,
                                   const syntax::FormattedValue* field);
  std::optional<std::string> separator(const Arguments& a, const std::string& name,
                                       const char* otherwise);
  bool check_keywords(const Arguments& a);
  Value f_string(const syntax::JoinedStr* node);

  // --- loops.cpp ---
  void lower_while(const syntax::While* node);
  void lower_for(const syntax::For* node);
  void counted_loop(const syntax::For* node, const Value& range);
  void unrolled_loop(const syntax::For* node, const std::vector<Value>& elements);
  void lower_break();
  void lower_continue();
  std::optional<uint32_t> loop_slot(const Node* target, TypeCode code);
  bool loop_region(ir::Block& region, const Nodes& body);  // whether a break leaves it
  void else_region(ir::Block& region, const Nodes& body);
  ir::Block* open_scope(const Node* node);
  void close_scope(ir::Block* outer);

  // --- assign.cpp ---
  void lower_assign(const syntax::Assign* node);
  void lower_aug_assign(const syntax::AugAssign* node);
  void lower_ann_assign(const syntax::AnnAssign* node);
  void assign(const Node* target, const Value& value, const Node* source);
  void unpack(const syntax::Tuple* target, const Value& value, const Node* source);
  void assign_element(const syntax::Subscript* target, const Value& value, const Node* source);
  std::string unpacking_hint(const Node* source, size_t count) const;
  void element_not_assignable(const Value& base, const syntax::Subscript* target);
  void assign_attribute(const syntax::Attribute* target);
  Value declared(const Node* target, const Value& value, const Node* source);
  Value annotated(const Node* annotation, Value value, const Node* node, const std::string& what);

  // --- variables.cpp ---
  void define(const Node* target, const Value& value, const Node* source);
  void join_definition(uint32_t definition, const Value& value, const Node* source);
  void join_into(WebState& state, const Node* definition, Value value, bool may_be_constant,
                 const std::string& name, const Node* source);
  std::optional<Value> join(const Value& a, const Value& b) const;
  uint32_t make_slot(const std::string& name, TypeCode code);
  void make_slots(WebState& state, const std::string& name);
  void store_web(WebState& state, const std::string& name, const Value& value, const Node* source);
  void store_leaves(const Value& abstract, const Value& value, const std::vector<uint32_t>& slots,
                    size_t& next, const std::string& name, const Node* source);
  Value load_web(WebState& state, const std::string& name);
  Value load_leaves(const Value& abstract, const std::vector<uint32_t>& slots, size_t& next);
  void type_conflict(const Value& abstract, const Value& value, const std::string& name,
                     const Node* source);
  Value unresolved(const syntax::Name* node, WebState& state);
  Value read_variable(const syntax::Name* node, uint32_t web);
  Value read_name(const syntax::Name* node);

  // --- expressions.cpp ---
  Value expr(const Node* node);
  Value expr_by_kind(const Node* node);
  Value tuple_display(const syntax::Tuple* node);
  Value literal(const syntax::Value& value, const Node* node);
  Value binding_value(const syntax::Binding& binding, const Node* node, const std::string& name);
  Value entity_value(const std::string& name, const Node* node);

  // --- attributes.cpp ---
  Value attribute(const syntax::Attribute* node);
  Value foreign_attribute(const syntax::Attribute* node, const Value& base,
                          const syntax::Binding* bound);
  bool is_of_numba(const Node* node) const;
  std::optional<Value> numba_attribute(const syntax::Attribute* node);
  Value no_attribute(const syntax::Attribute* node, const Value& base,
                     const std::vector<std::string>& names);
  Value position_attribute(const syntax::Attribute* node, const Value& base);
  Value position(const Intrinsic& intrinsic, int axis);
  Value number_attribute(const syntax::Attribute* node, const Value& base);
  std::optional<std::vector<Value>> elements_of(const Value& value);
  Value subscript(const syntax::Subscript* node);
  Value expr_or_slice(const Node* node);
  Value whole_number(const Value& base, const Value& index, const syntax::Subscript* node);
  Value element_of_tuple(const std::vector<Value>& elements, const Value& index,
                         const syntax::Subscript* node);

  // --- arrays.cpp ---
  Inst* array_base(const Value& array);
  Inst* array_inst(const Value& array);
  Value extent_value(const Value& array, int axis);
  Value stride_value(const Value& array, int axis);
  Value array_number(const Value& array, int axis, Op op);
  Value extents(const Value& array, Op op);
  Value array_size(const Value& array, const Node* node);
  Value array_attribute(const syntax::Attribute* node, const Value& base);
  bool check_index(const Value& index, const Node* node);
  const Node* index_node(const syntax::Subscript* node, size_t i) const;
  std::optional<std::vector<Inst*>> element_operands(const Value& array, const Value& index,
                                                     const syntax::Subscript* node);
  void check_index_range(const Value& array, const Value& index, int axis, const Node* node);
  Inst* index_operand(const Value& array, const Value& index, int axis, const Node* node);
  Value load_element(const Value& array, std::vector<Inst*> operands);
  void store_element(const Value& array, std::vector<Inst*> operands, const Value& value,
                     const Node* source);
  bool check_writable(const Value& array, const syntax::Subscript* target);

  // --- views.cpp: other arrays over the same memory ---
  struct Parts {  // int64 each
    Value offset;
    std::vector<Value> shape, strides;
  };
  Parts parts_of(const Value& array);
  Value view_of(const Value& array, ScalarKind element, Parts parts) const;
  Value calculated(BinaryOp op, const Value& a, const Value& b, const Node* node);
  bool makes_view(const Value& array, const Value& index) const;
  Value sliced(const Value& array, const Value& index, const syntax::Subscript* node);
  bool slice_axis(Parts& parts, const Value& extent, const Value& stride, const Value& slice,
                  const Node* node);
  std::optional<Value> slice_bound(const Value& bound, const Value& extent, int64_t least,
                                   const Value& most, const Node* node);
  Value wrapped_index(const Value& index, const Value& extent, const Node* node);
  Value transposed(const Value& array);
  Value call_array_method(const Value& method, const Arguments& a);
  Value viewed_as(const Value& array, const Arguments& a);
  static std::optional<std::string> misplaced(const Parts& parts, int bytes);
  bool check_view(const Value& array, ScalarKind element, const Parts& parts, const Node* node);
  Value reshaped(const Value& array, const Arguments& a);
  bool is_packed(const Value& array, const Parts& parts) const;

  // --- memory.cpp: arrays of the kernel's own ---
  struct Given {  // null: left out
    const Value* value = nullptr;
    const Node* node = nullptr;
  };
  std::optional<std::vector<Given>> named_arguments(const Arguments& a, const Intrinsic& i);
  bool read_shape(const Given& given, const std::string& name, ir::Allocation& array);
  bool read_extent(const Value& extent, const Node* node, const std::string& name,
                   ir::Allocation& array);
  std::optional<TypeCode> read_dtype(const Given& given, const std::string& name);
  std::optional<bool> read_order(const Given& given, const std::string& name);
  bool read_align(const Given& given, const std::string& name, ir::Allocation& array);
  bool check_memory(const ir::Allocation& array, const Node* node);
  uint32_t allocation(const ir::Allocation& array, const Node* call);
  uint32_t number_of_array(uint32_t allocation);

  // --- barriers.cpp ---
  Value call_lambda(const Value& lambda);
  Value predicate(const Given& given, const std::string& name, const Node* call);

  // --- logic.cpp ---
  void splice(ir::Block& from);
  Value truth(const Value& value, const Node* node);
  Value condition(const Node* node);
  Value negated(const Value& boolean, const Node* node);
  Value bool_op(const syntax::BoolOp* node);
  Value chain(const Nodes& operands, size_t from, bool is_and, bool as_condition, const Node* node);
  Value combine(const Value& first, const Value& test, bool is_and, Captured second,
                const Node* node);
  Value if_exp(const syntax::IfExp* node);
  Value choose(const Value& test, Captured then, Captured otherwise, const Node* node);
  Value branch(const Value& test, Captured then, Captured otherwise, const Value& joined,
               const Node* node);
  Value select(const Value& test, const Value& then, const Value& otherwise, const Value& joined,
               const Node* node);

  // --- compare.cpp ---
  Value compare(const syntax::Compare* node);
  Value compare_rest(const syntax::Compare* node, size_t i, const Value& left,
                     const Node* left_node);
  Value compare_values(CompareOp op, const Value& a, const Value& b, const Node* node,
                       const Node* left, const Node* right);
  Value compare_numbers(CompareOp op, Value a, Value b, const Node* node, const Node* left,
                        const Node* right);
  Value compare_integers(CompareOp op, Value a, Value b, const Node* node);
  Value compare_with_constant(CompareOp op, const Value& a, const Value& constant,
                              const Node* node);
  Value compare_same(CompareOp op, TypeCode code, const Value& a, const Value& b, const Node* node);
  Value compare_mixed(CompareOp op, const Value& a, const Value& b);
  Value compare_tuples(CompareOp op, const Value& a, const Value& b, const Node* node,
                       const Node* left, const Node* right);
  Value both(const Value& a, const Value& b, Op op, const Node* node);
  Value contains(CompareOp op, const Value& a, const Value& b, const Node* node, const Node* left,
                 const Node* right);

  // --- operators.cpp, divide.cpp, power.cpp ---
  Value binary(BinaryOp op, const Value& a, const Value& b, const Node* node, const Node* left,
               const Node* right);
  Value arithmetic(BinaryOp op, Value a, Value b, const Node* node, const Node* left,
                   const Node* right);
  Value same_type(BinaryOp op, TypeCode code, const Value& a, const Value& b, const Node* node);
  Value unary(const syntax::UnaryOp* node);
  Value negative(const Value& v, const Node* node);
  Value invert(const Value& v, const Node* node);
  Value floor_divide(BinaryOp op, TypeCode promoted, const Value& a, const Value& b,
                     const Node* node);
  std::pair<Inst*, Inst*> float_divmod(Inst* a, Inst* b);
  Value power(const Value& a, const Value& b, TypeCode promoted, const Node* node);
  Value integer_power(const Value& a, const Value& b, TypeCode promoted, const Node* node);
  Value power_unrolled(Value base, TypeCode code, uint64_t exponent, const Node* node);
  Value power_of_sign(Inst* base, Inst* exponent, Inst* otherwise, TypeCode code);
  Value power_loop(Inst* base, Inst* exponent, TypeCode code);

  // --- convert.cpp ---
  void at(const Node* node);  // what is emitted from here on belongs to it
  bool literal_fits(const Value& v, TypeCode to) const;
  bool fits_builtin(const Value& v) const;
  bool check_literal(const Value& v, TypeCode to, const Node* node);
  Value convert_constant(const Value& v, TypeCode to, const Node* node);
  Value convert(const Value& v, TypeCode to, const Node* node);
  Value constructed(const Value& v, TypeCode to, const Node* node);
  Inst* inst_of(const Value& number, const Node* node);
  Inst* constant_inst(ir::Type type, double value);
  bool require_number(const Value& v, const Node* node, const std::string& what);

  // --- calls.cpp ---
  const Node* argument_node(const Arguments& a, size_t i) const;
  // formatted: f-strings may stand among them.
  std::optional<Arguments> arguments(const syntax::Call* node, bool formatted);
  Value call(const syntax::Call* node);
  Value call_entity(const std::string& name, const Arguments& a);
  bool check_count(const Intrinsic& i, const Arguments& a);
  Value call_type(const Intrinsic& type, const Arguments& a);
  Value call_method(const Value& method, const Arguments& a);

  // --- inline.cpp ---
  bool too_large(const Node* node);
  bool check_callable(const syntax::Function& f, uint32_t index, const Arguments& a);
  Value call_function(uint32_t index, const Arguments& a);
  std::optional<std::vector<Value>> bind_arguments(const syntax::Function& f, const Arguments& a);
  bool bind_keyword(const syntax::Function& f, const std::string& name, const Value& value,
                    std::vector<std::optional<Value>>& bound, const Arguments& a);
  std::optional<Value> missing_argument(const syntax::Function& f, size_t i, const Arguments& a);
  Value inlined(Instance& instance);
  void fall_off_end(const syntax::Function& f);

  // --- builtins.cpp, math.cpp ---
  Value min_max(const Value& a, const Value& b, Op op, const Node* node);
  Value math_argument(const Arguments& a, size_t i, const Intrinsic& intrinsic);
  std::vector<Value> math_arguments(const Arguments& a, const Intrinsic& intrinsic);
  bool folds(const Value& v) const;
  Value scaled(const Arguments& a, const Intrinsic& i, double factor);
  Inst* gcd_loop(Inst* a, Inst* b, TypeCode code);

  Session& session_;
  const Policy& policy_;
  const syntax::Program& program_;
  bool as_kernel_;
  std::unique_ptr<ir::Function> function_;
  ir::Builder builder_;
  std::vector<Diagnostic> diagnostics_;
  // Mistakes met so far, and things met that a mistake explains: what is Unknown in a statement is
  // a mistake's if there are more than when it began.
  uint64_t blamed_ = 0;
  struct {
    uint64_t blamed = 0;
    size_t diagnostics = 0;
  } began_;  // the statement at hand
  bool failed_more_ = false;
  bool changed_ = false;
  bool demoted_ = false;
  std::optional<Unresolved> unresolved_;
  bool met_unknown_ = false;
  Value result_;
  std::vector<Inst*> parameters_;                  // the Param instruction of each IR parameter
  std::unordered_map<uint32_t, uint32_t> arrays_;  // number in function_ of an allocation
  struct {
    const Node* value = nullptr;
    std::string name;
  } assigned_;  // the name that the value of the assignment at hand gets

  // --- the function being inlined ---
  struct Loop {
    bool unrolled = false;
    size_t break_scope = 0, continue_scope = 0;  // of unrolled loops: scopes open around them
    bool broke = false, continued = false;       // met so far
  };
  struct Frame {
    Instance* instance = nullptr;
    bool is_kernel = false;
    ir::Block* body = nullptr;
    size_t scope = 0;             // scopes open around it
    uint32_t returns = 0;         // return statements met in this pass
    bool leaves = false;          // some of them needed a leave
    std::optional<Value> direct;  // the value of its only return
    std::vector<Loop> loops;
  };
  Frame* frame_ = nullptr;
  uint32_t levels_ = 0;
  bool met_too_deep_ = false;
  bool met_too_large_ = false;
  bool met_too_much_shared_ = false;
  bool met_too_much_local_ = false;
  Instance* instance_ = nullptr;
  bool reachable_ = true;
  size_t open_scopes_ = 0;
  std::vector<uint32_t> copies_;  // which copy of each unrolled loop around
};

template <class F>
Lowerer::Captured Lowerer::capture(F&& f) {
  Captured captured;
  ir::Block* outer = &builder_.block();
  builder_.set_block(captured.block);
  captured.value = f();
  builder_.set_block(*outer);
  return captured;
}

}  // namespace cuda_device::frontend
