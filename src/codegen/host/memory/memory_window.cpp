// Whole vectors of memory and shuffles, where lanes lie at constant distances.
#include "codegen/host/memory/memory_form.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using llvm::Value;

// Elements of several vectors of one type, each as number * lanes + element; any where -1.
Value* MemoryForm::pick(llvm::ArrayRef<Value*> vectors, llvm::ArrayRef<int> wanted) {
  const auto lanes = static_cast<int>(wanted.size());
  Value* result = nullptr;
  llvm::SmallVector<int, kMostLanes> have(wanted.size(), -1);
  for (size_t v = 0; v < vectors.size(); ++v) {
    llvm::SmallVector<int, kMostLanes> both = have;
    bool needed = false;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] < 0 || wanted[i] / lanes != static_cast<int>(v)) continue;
      needed = true;
      both[i] = (result ? lanes : 0) + wanted[i] % lanes;
    }
    if (!needed) continue;
    // The first vector waits for the second: one shuffle takes from both.
    if (!result) {
      result = vectors[v];
      have = both;
      continue;
    }
    result = b_.CreateShuffleVector(result, vectors[v], both);
    for (size_t i = 0; i < both.size(); ++i) have[i] = both[i] < 0 ? -1 : static_cast<int>(i);
  }
  const bool in_place = [&] {
    for (size_t i = 0; i < have.size(); ++i)
      if (have[i] >= 0 && have[i] != static_cast<int>(i)) return false;
    return true;
  }();
  return in_place ? result : b_.CreateShuffleVector(result, have);
}

// Every `step`-th element of the vectors, from `first` on. Halved again and again, so that the
// elements after and before these share all shuffles but the last ones with them.
llvm::SmallVector<Value*, kMostLanes> MemoryForm::every(unsigned step, unsigned first,
                                                        llvm::SmallVector<Value*, kMostLanes> all,
                                                        unsigned lanes) {
  CD_CHECK(llvm::isPowerOf2_32(step) && all.size() % step == 0, "elements that no halving finds");
  for (; step > 1; step /= 2, first /= 2) {
    llvm::SmallVector<int, kMostLanes> half;
    for (unsigned lane = 0; lane < lanes; ++lane)
      half.push_back(static_cast<int>(2 * lane + first % 2));
    for (size_t i = 0; i < all.size() / 2; ++i)
      all[i] = b_.CreateShuffleVector(all[2 * i], all[2 * i + 1], half);
    all.truncate(all.size() / 2);
  }
  return all;
}

// The first elements of all vectors, then the second ones, and so on: `all` has `count` vectors,
// each of pieces of so many lanes, and is merged by twos.
llvm::SmallVector<Value*, kMostLanes> MemoryForm::merged(unsigned count,
                                                         llvm::SmallVector<Value*, kMostLanes> all,
                                                         unsigned lanes) {
  llvm::SmallVector<int, kMostLanes> halves[2];
  for (unsigned lane = 0; lane < 2 * lanes; ++lane)
    halves[lane / lanes].push_back(static_cast<int>(lane / 2 + lane % 2 * lanes));
  for (; count > 1; count /= 2) {
    llvm::SmallVector<Value*, kMostLanes> next;
    for (size_t i = 0; i < all.size() / 2; ++i)
      for (const auto& half : halves)
        next.push_back(b_.CreateShuffleVector(all[i], all[i + all.size() / 2], half));
    all = next;
  }
  return all;
}

static Value* first_lanes(llvm::IRBuilder<>& b, unsigned count, unsigned lanes) {
  llvm::SmallVector<llvm::Constant*, kMostLanes> bits;
  for (unsigned i = 0; i < lanes; ++i) bits.push_back(b.getInt1(i < count));
  return llvm::ConstantVector::get(bits);
}

static Element element_in(const Window& window, Element e) {
  if (window.whole) e.align = llvm::Align(uint64_t{window.native} * e.bytes());
  return e;
}

Value* MemoryForm::load_part_of(const Element& e, const Window& window, size_t part,
                                Value* pointer) {
  const auto [first, count] = window.parts[part];
  Value* some = count == window.native ? nullptr : first_lanes(b_, count, window.native);
  return load_part(element_in(window, e), window.native, at(pointer, first * e.bytes()), some,
                   nullptr);
}

Value* MemoryForm::load_window(const Element& e, const Window& window, Value* pointer) {
  const unsigned native = window.native;
  llvm::SmallVector<Value*, kMostLanes> vectors;
  for (size_t part = 0; part < window.parts.size(); ++part)
    vectors.push_back(load_part_of(e, window, part, pointer));
  Value* result = llvm::PoisonValue::get(vector(e));
  if (window.halves()) {
    vectors = every(window.step, window.at[0], std::move(vectors), native);
    for (unsigned k = 0; k < vectors.size(); ++k) result = insert(result, vectors[k], k * native);
    return result;
  }
  for (unsigned first = 0; first < masks_.width(); first += native) {
    llvm::SmallVector<int, kMostLanes> wanted(window.at.begin() + first,
                                              window.at.begin() + first + native);
    result = insert(result, pick(vectors, wanted), first);
  }
  return result;
}

// i1 by element of a part: null, where all of them are stored.
Value* MemoryForm::lanes_stored(const Element& e, const Window& window, size_t part,
                                const Mask& mask) {
  const std::vector<int> lanes = window.lanes_of(part);
  llvm::SmallVector<llvm::Constant*, kMostLanes> touched;
  bool whole = true;
  for (int lane : lanes) {
    touched.push_back(b_.getInt1(lane >= 0));
    whole = whole && lane >= 0;
  }
  Value* own = llvm::ConstantVector::get(touched);
  if (mask.all()) return whole ? nullptr : own;
  // As numbers of the element's width: shuffles of bits go that way in any case.
  llvm::Type* number = llvm::Type::getIntNTy(b_.getContext(), e.bytes() * 8);
  Value* all = masks_.lanes(mask);
  llvm::SmallVector<Value*, kMostLanes> signs;
  for (unsigned first = 0; first < masks_.width(); first += window.native)
    signs.push_back(b_.CreateSExt(slice(all, first, window.native),
                                  llvm::FixedVectorType::get(number, window.native)));
  // Poison in an element that no lane touches must not reach the mask.
  std::vector<int> wanted = lanes;
  const int any = *std::find_if(lanes.begin(), lanes.end(), [](int lane) { return lane >= 0; });
  std::replace(wanted.begin(), wanted.end(), -1, any);
  Value* picked = pick(signs, wanted);
  Value* on = b_.CreateICmpSLT(picked, llvm::Constant::getNullValue(picked->getType()));
  return whole ? on : b_.CreateAnd(on, own);
}

void MemoryForm::store_window(const Element& e, const Window& window, Value* value, Value* pointer,
                              const Mask& mask) {
  llvm::SmallVector<Value*, kMostLanes> values;
  for (unsigned first = 0; first < masks_.width(); first += window.native)
    values.push_back(slice(value, first, window.native));
  for (size_t part = 0; part < window.parts.size(); ++part) {
    Value *all = pick(values, window.lanes_of(part)), *on = lanes_stored(e, window, part, mask);
    // What is written back by the next store of the kind is seen to be the same vector, and only
    // the last of them stays.
    if (on && window.whole && mask.all()) {
      all = b_.CreateSelect(on, all, load_part_of(e, window, part, pointer));
      on = nullptr;
    }
    store_part(element_in(window, e), all, at(pointer, window.parts[part].first * e.bytes()), on);
  }
}

void MemoryForm::store_interleaved(const Element& e, llvm::ArrayRef<Value*> vectors, Value* pointer,
                                   Stores kind) {
  const unsigned native = info().lanes(e.bytes()), width = masks_.width();
  const auto count = static_cast<unsigned>(vectors.size());
  const unsigned lanes = std::min(native, width);
  llvm::SmallVector<Value*, kMostLanes> pieces;  // of each vector its pieces
  for (Value* v : vectors)
    for (unsigned first = 0; first < width; first += lanes)
      pieces.push_back(slice(v, first, lanes));
  const auto put = [&](Value* piece, unsigned first) {
    Value* place = at(pointer, first * e.bytes());
    if (kind == Stores::Streaming) return streaming_store(e, piece, place, lanes * e.bytes());
    store_part(e, piece, place, nullptr);
  };
  if (llvm::isPowerOf2_32(count)) {
    pieces = merged(count, std::move(pieces), lanes);
    for (unsigned k = 0; k < pieces.size(); ++k) put(pieces[k], k * lanes);
    return;
  }
  for (unsigned first = 0; first < width * count; first += lanes) {
    llvm::SmallVector<int, kMostLanes> wanted;
    for (unsigned k = first; k < first + lanes; ++k)
      wanted.push_back(static_cast<int>(k % count * width + k / count));
    put(pick(pieces, wanted), first);
  }
}

}  // namespace cuda_device::codegen::host
