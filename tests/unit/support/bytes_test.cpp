#include "support/bytes.h"

#include <gtest/gtest.h>

#include "support/sha256.h"

namespace cuda_device {
namespace {

std::string counted_bytes(size_t count) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += static_cast<char>(7 * i + count);
  return bytes;
}

// The standard's own examples.
TEST(Sha256, OfTheStandardsMessages) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Computed by Python's hashlib: the digest of the digests of messages of all these lengths.
TEST(Sha256, OfEveryLength) {
  std::string digests;
  for (size_t count = 0; count < 300; ++count) {
    const Digest digest = sha256(counted_bytes(count));
    digests.append(digest.begin(), digest.end());
  }
  EXPECT_EQ(hex(sha256(digests)),
            "d5238871a46ac4a1a75ac3fb19d645b0b3b9e5f35f5f720e2b240d605c6b694e");
}

TEST(Bytes, ReadAsWritten) {
  ByteWriter out;
  out.number<uint16_t>(0x1234);
  out.text("ab");
  out.text("");
  out.number(true);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.number<uint16_t>(), 0x1234);
  EXPECT_EQ(in.text(), "ab");
  EXPECT_EQ(in.text(), "");
  EXPECT_FALSE(in.ended_well());
  EXPECT_EQ(in.number<uint8_t>(), 1);
  EXPECT_TRUE(in.ended_well());
}

TEST(Bytes, NothingIsReadBeyondTheEnd) {
  ByteWriter out;
  out.number<uint64_t>(UINT64_MAX);  // the length of a text
  out.number<uint32_t>(7);
  const std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.text(), "");
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.number<uint32_t>(), 0u);
  EXPECT_FALSE(in.ended_well());
  ByteReader part(std::string_view(bytes).substr(0, 3));
  EXPECT_EQ(part.number<uint32_t>(), 0u);
  EXPECT_FALSE(part.ok());
}

}  // namespace
}  // namespace cuda_device
