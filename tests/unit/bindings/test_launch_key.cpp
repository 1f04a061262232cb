// The launch key: what is written into it comes back as the request, and each part of it makes
// another key.
#include "bindings/launch/key.h"

#include <gtest/gtest.h>

#include <set>

namespace cuda_device::bindings {
namespace {

using frontend::ArgumentType;
using Kind = ArgumentType::Kind;

const RecordLayout kPoint{
    12, 4, {{0, ScalarKind::F32}, {4, ScalarKind::F32}, {8, ScalarKind::F32}}};
const FactBits kSomeFacts = bit(ArrayFact::fits_31) | bit(ArrayFact::no_alias);

std::string text_of(KeyBuffer& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

// A head, and what `write` adds.
std::string key_with(const KeyHead& head, auto write) {
  KeyBuffer key;
  write_head(key, head);
  write(key);
  return text_of(key);
}

frontend::Request request_of(const std::string& key) {
  return read_request(reinterpret_cast<const uint8_t*>(key.data()), key.size());
}

const auto nothing = [](KeyBuffer&) {};

TEST(LaunchKey, EachPartOfTheHeadMakesAnotherKey) {
  std::set<std::string> keys{key_with({}, nothing)};
  const auto is_new = [&](auto change) {
    KeyHead head;
    change(head);
    return keys.insert(key_with(head, nothing)).second;
  };
  EXPECT_TRUE(is_new([](KeyHead& h) { h.variant = 1; }));
  EXPECT_TRUE(is_new([](KeyHead& h) { h.facts.block = {1, 1, 1}; }));
  EXPECT_TRUE(is_new([](KeyHead& h) { h.facts.block = {1, 1, 2}; }));
  EXPECT_TRUE(is_new([](KeyHead& h) { h.facts.grid_fits_31 = true; }));
  EXPECT_TRUE(is_new([](KeyHead& h) { h.dialect = frontend::DialectName::NumbaPro; }));
  EXPECT_TRUE(is_new([](KeyHead& h) { h.checks = true; }));
}

TEST(LaunchKey, TheHeadComesBack) {
  KeyHead head;
  head.facts.block = {1024, 7, 64};
  head.facts.grid_fits_31 = true;
  head.dialect = frontend::DialectName::NumbaPro;
  head.checks = true;
  const frontend::Request request = request_of(key_with(head, nothing));
  EXPECT_EQ(request.launch, head.facts);
  EXPECT_EQ(request.dialect, head.dialect);
  EXPECT_TRUE(request.checks);
  EXPECT_FALSE(request_of(key_with({}, nothing)).checks);
  EXPECT_EQ(request_of(key_with({}, nothing)).dialect, frontend::DialectName::Device);
}

// The program stands in place of its number, and everything else stays.
TEST(LaunchKey, TheIdentityHasAllButTheVariant) {
  const syntax::Program program;
  const auto identity = [&](auto change) {
    KeyHead head;
    change(head);
    const std::string key = key_with(head, nothing);
    return identity_of(reinterpret_cast<const uint8_t*>(key.data()), key.size(), program);
  };
  const std::string plain = identity([](KeyHead&) {});
  EXPECT_EQ(identity([](KeyHead& h) { h.variant = 7; }), plain);
  EXPECT_NE(identity([](KeyHead& h) { h.checks = true; }), plain);
  EXPECT_NE(identity([](KeyHead& h) { h.dialect = frontend::DialectName::NumbaPro; }), plain);
  EXPECT_NE(identity([](KeyHead& h) { h.facts.grid_fits_31 = true; }), plain);
}

TEST(LaunchKey, ArgumentsComeBack) {
  const DtypeTable none;
  const std::string key = key_with({}, [&](KeyBuffer& k) {
    write_scalar(k, ScalarKind::U16, none);
    write_array(k, ScalarKind::F64, 32, kSomeFacts, none);
    write_tuple(k, 2);
    write_plain(k, Kind::WeakInt);
    write_array(k, ScalarKind::Bool, 0, 0, none);
    write_plain(k, Kind::None);
  });
  const frontend::Request request = request_of(key);
  ASSERT_EQ(request.arguments.size(), 4u);
  EXPECT_EQ(request.arguments[0].dtype, ScalarKind::U16);
  const ArgumentType& array = request.arguments[1];
  EXPECT_EQ(array.kind, Kind::Array);
  EXPECT_EQ(array.dtype, ScalarKind::F64);
  EXPECT_EQ(array.ndim, 32);
  EXPECT_EQ(array.facts, array_facts(kSomeFacts));
  ASSERT_EQ(request.arguments[2].elements.size(), 2u);
  EXPECT_EQ(request.arguments[2].elements[0].kind, Kind::WeakInt);
  EXPECT_EQ(request.arguments[2].elements[1].kind, Kind::Array);
  EXPECT_EQ(request.arguments[3].kind, Kind::None);
}

TEST(LaunchKey, EachFactOfAnArrayMakesAnotherKey) {
  const DtypeTable none;
  std::set<std::string> keys;
  const auto add = [&](FactBits facts) {
    const std::string key =
        key_with({}, [&](KeyBuffer& k) { write_array(k, ScalarKind::F32, 1, facts, none); });
    EXPECT_EQ(request_of(key).arguments.at(0).facts, array_facts(facts));
    return keys.insert(key).second;
  };
  EXPECT_TRUE(add(0));
#define ARRAY_FACT(name, words) EXPECT_TRUE(add(bit(ArrayFact::name))) << #name;
#include "support/facts.def"
}

TEST(LaunchKey, NoAliasIsClearedAlone) {
  const DtypeTable none;
  const std::string key = key_with({}, [&](KeyBuffer& k) {
    write_plain(k, Kind::WeakInt);
    const size_t at = write_array(k, ScalarKind::F32, 2, ~FactBits{0}, none);
    clear_no_alias(k, at);
  });
  EXPECT_EQ(request_of(key).arguments.at(1).facts, array_facts(~bit(ArrayFact::no_alias)));
}

// Wherever the records stand in the table of the process that writes the key.
TEST(LaunchKey, RecordsAreTheirStructure) {
  const auto key_of = [](const DtypeTable& table, DtypeId record) {
    return key_with({}, [&](KeyBuffer& k) {
      const size_t at = write_array(k, record, 2, ~FactBits{0}, table);
      write_elements(k, {Kind::Record, ScalarKind::Bool, 0, 0, 7});
      clear_no_alias(k, at);
      write_scalar(k, ScalarKind::I8, table);
    });
  };
  DtypeTable one, other;
  const DtypeId first = one.add(kPoint);
  other.add({16, 16, {{0, ScalarKind::F64}}});
  const DtypeId second = other.add(kPoint);
  ASSERT_NE(first, second);
  const std::string key = key_of(one, first);
  EXPECT_EQ(key_of(other, second), key);
  EXPECT_NE(key_of(other, other.add({12, 4, {{0, ScalarKind::F32}}})), key);

  const frontend::Request request = request_of(key);
  ASSERT_EQ(request.arguments.size(), 2u);
  const ArgumentType& array = request.arguments[0];
  ASSERT_FALSE(array.dtype.is_scalar());
  EXPECT_EQ(request.dtypes.record(array.dtype), kPoint);
  EXPECT_EQ(array.kind, Kind::Array);
  EXPECT_EQ(array.ndim, 2);
  EXPECT_EQ(array.facts, array_facts(~bit(ArrayFact::no_alias)));
  EXPECT_EQ(array.element, Kind::Record);
  EXPECT_EQ(array.type, 7u);
  EXPECT_EQ(request.arguments[1].dtype, ScalarKind::I8);
}

TEST(LaunchKey, AKeyThatEndsEarlyIsABug) {
  DtypeTable table;
  const DtypeId point = table.add(kPoint);
  const std::string key =
      key_with({}, [&](KeyBuffer& k) { write_array(k, point, 1, kSomeFacts, table); });
  const size_t head = key_with({}, nothing).size();
  for (size_t size = head + 1; size < key.size(); ++size)
    EXPECT_THROW(request_of(key.substr(0, size)), InternalError) << size;
}

TEST(ParameterBytes, AreAlignedHoweverMany) {
  for (size_t count : {0, 1, 31, 32, 33, 1000}) {
    Buffer<512> params;
    for (size_t i = 0; i < count; ++i) params.append(uint64_t{i}, 8);
    params.extend(0, 16);
    EXPECT_EQ(params.size() % 16, 0u) << count;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(params.data()) % 16, 0u) << count;
  }
}

}  // namespace
}  // namespace cuda_device::bindings
