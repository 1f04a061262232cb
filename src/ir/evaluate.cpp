#include "ir/evaluate.h"

#include <array>

#include "ir/meaning.h"

namespace cuda_device::ir {
namespace {

template <ScalarKind kind>
auto cpp_type() {
  using Bits = BitsOf<bytes_of(kind)>;
  if constexpr (is_bool(kind))
    return bool{};
  else if constexpr (is_unsigned_int(kind))
    return Bits{};
  else if constexpr (is_signed_int(kind))
    return std::make_signed_t<Bits>{};
  else if constexpr (is_storage_only(kind))
    return StoredNumber<kind>{};
  else if constexpr (is_native<float>(kind))
    return float{};
  else if constexpr (is_native<double>(kind))
    return double{};
  else
    static_assert(!is_float(kind), "the interpreter needs a C++ type that computes in this format");
}
template <ScalarKind kind>
using Cpp = decltype(cpp_type<kind>());

template <class T>
T unpack(int64_t value) {
  if constexpr (std::integral<T>)
    return static_cast<T>(value);
  else
    return std::bit_cast<T>(static_cast<BitsOf<sizeof(T)>>(value));
}

template <class T>
int64_t pack(T value) {
  if constexpr (std::integral<T>)
    return static_cast<int64_t>(value);
  else
    return static_cast<int64_t>(std::bit_cast<BitsOf<sizeof(T)>>(value));
}

template <class M, class T>
auto first_type() {
  if constexpr (requires { typename M::First; }) {
    return typename M::First{};
  } else {
    return T{};
  }
}
template <class M, class T>
auto second_type() {
  if constexpr (requires { typename M::Second; }) {
    return typename M::Second{};
  } else {
    return T{};
  }
}

template <class M, class T, int operands>
struct ResultOf {
  using First = decltype(first_type<M, T>());
  using Second = decltype(second_type<M, T>());
  static auto apply() {
    if constexpr (operands == 1)
      return M::template apply<T>(First{});
    else if constexpr (operands == 2)
      return M::template apply<T>(First{}, Second{});
    else
      return M::template apply<T>(First{}, Second{}, T{});
  }
};
template <class M, class T, int operands>
using result_of = decltype(ResultOf<M, T, operands>::apply());

template <class M, class T, int operands>
int64_t apply(int64_t a, int64_t b, int64_t c) {
  const auto first = unpack<decltype(first_type<M, T>())>(a);
  if constexpr (operands == 1) {
    return pack(M::template apply<T>(first));
  } else {
    const auto second = unpack<decltype(second_type<M, T>())>(b);
    if constexpr (operands == 2) {
      return pack(M::template apply<T>(first, second));
    } else {
      return pack(M::template apply<T>(first, second, unpack<T>(c)));
    }
  }
}

// An operation of a float that is only stored: computed in another, and rounded.
template <class M, class T, int operands>
int64_t apply_computed(int64_t a, int64_t b, int64_t c) {
  using Computed = Cpp<computed_in(T::kStored)>;
  const auto operand = []<class Operand>(int64_t value) {
    if constexpr (std::same_as<Operand, T>)
      return pack(convert<Computed>(unpack<T>(value)));
    else
      return value;
  };
  using First = decltype(first_type<M, T>());
  using Second = decltype(second_type<M, T>());
  const int64_t result = apply<M, Computed, operands>(operand.template operator()<First>(a),
                                                      operand.template operator()<Second>(b),
                                                      operand.template operator()<T>(c));
  using Result = result_of<M, Computed, operands>;
  if constexpr (std::same_as<Result, Computed>)
    return pack(convert<T>(unpack<Computed>(result)));
  else
    return result;
}

template <class M, class T, class To>
int64_t apply_to(int64_t a, int64_t, int64_t) {
  return pack(M::template apply<To, T>(unpack<T>(a)));
}

template <class M, class T>
concept For = requires { &M::template apply<T>; };
template <class M, class T, class To>
concept ForTo = requires { &M::template apply<To, T>; };

// Indexed by the operands' type and, for conversions, by the result's.
using ByKind = std::array<Evaluator, kScalarCount>;
using ByTwoKinds = std::array<ByKind, kScalarCount>;
template <int... i>
using Kinds = std::integer_sequence<int, i...>;
using AllKinds = std::make_integer_sequence<int, kScalarCount>;

template <class M, int operands, class T>
constexpr Evaluator same_type() {
  if constexpr (For<M, T>) {
    return apply<M, T, operands>;
  } else if constexpr (Stored<T>) {
    if constexpr (For<M, Cpp<computed_in(T::kStored)>>) return apply_computed<M, T, operands>;
  }
  return nullptr;
}

template <class M, class T, class To>
constexpr Evaluator conversion() {
  if constexpr (ForTo<M, T, To>) return apply_to<M, T, To>;
  return nullptr;
}

template <class M, int operands, int... i>
constexpr ByKind same_types(Kinds<i...>) {
  return {same_type<M, operands, Cpp<static_cast<ScalarKind>(i)>>()...};
}

template <class M, class T, int... i>
constexpr ByKind conversions_from(Kinds<i...>) {
  return {conversion<M, T, Cpp<static_cast<ScalarKind>(i)>>()...};
}

template <class M, int... i>
constexpr ByTwoKinds conversions(Kinds<i...>) {
  return {conversions_from<M, Cpp<static_cast<ScalarKind>(i)>>(AllKinds{})...};
}

constexpr bool converts(Op op) { return op == Op::Convert || op == Op::Bitcast; }

// An operation on scalars without a Meaning does not compile.
template <Op op, int operands>
constexpr ByKind row() {
  if constexpr (converts(op)) {
    return {};
  } else {
    return same_types<Meaning<op>, operands>(AllKinds{});
  }
}

constexpr ByKind kRows[] = {
#define SCALAR(name, text, operands, ...) row<Op::name, operands>(),
#define OP(...) {},
#include "ir/op.def"
};
constexpr ByTwoKinds kConverts = conversions<Meaning<Op::Convert>>(AllKinds{});
constexpr ByTwoKinds kBitcasts = conversions<Meaning<Op::Bitcast>>(AllKinds{});

}  // namespace

Evaluator evaluator(Op op, ScalarKind operand, ScalarKind result) {
  const auto from = static_cast<size_t>(operand);
  const auto to = static_cast<size_t>(result);
  if (op == Op::Convert) return kConverts[from][to];
  if (op == Op::Bitcast) return kBitcasts[from][to];
  return kRows[static_cast<size_t>(op)][from];
}

Evaluator evaluator(const Inst& inst) {
  if (inst.operands.empty() || !inst.type.is_scalar()) return nullptr;
  const Inst* typed = inst.op == Op::Select ? inst.operands.back() : inst.operands.front();
  if (!typed->type.is_scalar()) return nullptr;
  return evaluator(inst.op, typed->type.scalar(), inst.type.scalar());
}

}  // namespace cuda_device::ir
