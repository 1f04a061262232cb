// Code for several architectures in one image: what a GPU gets, and what is refused.
#include "runtime/cuda/fat_image.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/cuda/assembler.h"

namespace cuda_device::cuda {
namespace {

Code ptx(int sm) {
  std::string text = ".version 8.0\n.target sm_" + std::to_string(sm) + "\n";
  text.push_back('\0');
  return {Code::Kind::Ptx, sm, text};
}

Code cubin(int sm, char fill = 'x') {
  std::string bytes(
      "\x7f"
      "ELF\x02",
      5);
  bytes.resize(100, fill);
  bytes[18] = static_cast<char>(190);
  bytes[19] = 0;
  return {Code::Kind::Cubin, sm, bytes};
}

FatImage image_of(const std::vector<Code>& codes) {
  FatImage image;
  for (const Code& code : codes) image.add(code);
  return image;
}

std::string chosen(const FatImage& image, int sm) {
  std::string text;
  for (const Code* code : image.for_gpu(sm))
    text += (code->kind == Code::Kind::Cubin ? "c" : "p") + std::to_string(code->sm) + " ";
  return text;
}

TEST(FatImage, AGpuGetsCubinsOfItsGenerationThenPtxThatIsNotNewer) {
  const FatImage image = image_of({ptx(75), cubin(80), cubin(86), ptx(90), cubin(90), ptx(120)});
  EXPECT_EQ(chosen(image, 70), "");
  EXPECT_EQ(chosen(image, 75), "p75 ");
  EXPECT_EQ(chosen(image, 80), "c80 p75 ");
  EXPECT_EQ(chosen(image, 89), "c86 c80 p75 ");
  EXPECT_EQ(chosen(image, 90), "c90 p90 p75 ");
  EXPECT_EQ(chosen(image, 100), "p90 p75 ");
  EXPECT_EQ(chosen(image, 121), "p120 p90 p75 ");
}

TEST(FatImage, CodeForOneArchitectureIsThereOnce) {
  FatImage image = image_of({cubin(80, 'a'), ptx(80), cubin(80, 'b')});
  EXPECT_EQ(image.codes().size(), 2u);
  EXPECT_EQ(image.find(Code::Kind::Cubin, 80)->bytes.back(), 'b');
  EXPECT_EQ(image.find(Code::Kind::Cubin, 86), nullptr);
}

TEST(FatImage, BytesAndBack) {
  for (const FatImage& image : {image_of({}), image_of({ptx(75)}), image_of({cubin(90)}),
                                image_of({ptx(75), cubin(80), cubin(86), ptx(90)})}) {
    const auto again = FatImage::read(image.bytes());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->bytes(), image.bytes());
    EXPECT_EQ(again->codes().size(), image.codes().size());
  }
}

TEST(FatImage, WhatIsNoImageIsRefused) {
  const std::string good = image_of({ptx(75), cubin(80)}).bytes();
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(FatImage::read(good.substr(0, length))) << length;
  EXPECT_FALSE(FatImage::read(good + "x"));
  Code no_elf = cubin(80), other_machine = cubin(80), no_end = ptx(80), two_ends = ptx(80),
       no_version = ptx(80);
  no_elf.bytes[0] = 'x';
  other_machine.bytes[18] = 62;
  no_end.bytes.pop_back();
  two_ends.bytes.push_back('\0');
  no_version.bytes[1] = 'x';
  for (const Code& bad : {no_elf, other_machine, no_end, two_ends, no_version,
                          Code{Code::Kind::Ptx, 3, ptx(3).bytes}})
    EXPECT_FALSE(FatImage::read(image_of({cubin(90), bad}).bytes()));
}

// Whatever the bytes: no crash, and what is taken can be written again.
TEST(FatImage, RandomDamageIsRefusedOrHarmless) {
  const std::string good = image_of({ptx(75), cubin(80), ptx(90)}).bytes();
  std::mt19937 random(3);
  for (int run = 0; run < 100000; ++run) {
    std::string bad = good;
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n)
      bad[random() % (run % 2 ? bad.size() : 100)] = static_cast<char>(random());
    const auto read = FatImage::read(bad);
    if (read) {
      EXPECT_EQ(read->bytes(), bad);
    }
  }
}

TEST(Assemblers, MakeCubinsOfPtx) {
  const std::string text =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
  int found = 0;
  for (const Assembler& assembler : {find_ptxas_assembler(), find_nvjitlink_assembler()}) {
    if (assembler.identity.empty()) continue;
    ++found;
    Code code{Code::Kind::Cubin, 90, ""};
    const Assembled made = assembler.assemble(text, 90);
    ASSERT_TRUE(made.ok) << assembler.shown << "\n" << made.log;
    code.bytes.assign(made.cubin.begin(), made.cubin.end());
    EXPECT_TRUE(FatImage::read(image_of({code}).bytes())) << assembler.shown;
    const Assembled refused = assembler.assemble("nonsense", 90);
    EXPECT_FALSE(refused.ok);
    EXPECT_FALSE(refused.log.empty());
  }
  if (found == 0) GTEST_SKIP() << "waits for ptxas or nvJitLink";
}

}  // namespace
}  // namespace cuda_device::cuda
