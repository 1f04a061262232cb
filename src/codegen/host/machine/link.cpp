#include "codegen/host/machine/link.h"

#include <map>

#include "codegen/host/lowering/math.h"
#include "support/check.h"

namespace cuda_device::codegen::host {
namespace {

using llvm::object::ELF64LEObjectFile;
using llvm::object::ELFSectionRef;
using llvm::object::RelocationRef;
using llvm::object::SectionRef;
using llvm::object::SymbolRef;

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // distances fit 32 bits

template <class T>
T ok(llvm::Expected<T> value) {
  if (!value) throw InternalError("LLVM: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

uint64_t align_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

class Linker {
 public:
  Linker(const ELF64LEObjectFile& object, abi::KernelImage& image)
      : object_(object), image_(image) {}

  // Where the sections of the image lie in it; the others are not to be loaded.
  std::vector<uint8_t> for_debuggers(llvm::ArrayRef<char> object) const {
    std::vector<uint8_t> copy(object.begin(), object.end());
    llvm::ELF::Elf64_Ehdr header;
    std::memcpy(&header, copy.data(), sizeof header);
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      uint8_t* const at = copy.data() + header.e_shoff + i * header.e_shentsize;
      llvm::ELF::Elf64_Shdr section;
      std::memcpy(&section, at, sizeof section);
      const auto place = places_.find(i);
      if (place != places_.end())
        section.sh_addr = place->second;
      else
        section.sh_flags &= ~uint64_t{llvm::ELF::SHF_ALLOC};
      std::memcpy(at, &section, sizeof section);
    }
    return copy;
  }

  void run(const std::string& entry) {
    place(/*text=*/true);
    image_.text_size = static_cast<uint32_t>(bytes_.size());
    bytes_.resize(align_up(bytes_.size(), kPage));
    place(/*text=*/false);
    for (const SectionRef& section : object_.sections())
      for (const RelocationRef& relocation : section.relocations())
        relocate(section.getRelocatedSection(), relocation);
    image_.entry = static_cast<uint32_t>(entry_offset(entry));
    image_.code = std::move(bytes_);
  }

 private:
  void place(bool text) {
    for (const SectionRef& section : object_.sections()) {
      const uint64_t flags = ELFSectionRef(section).getFlags();
      if (!(flags & llvm::ELF::SHF_ALLOC) || section.isText() != text || is_unwind_table(section))
        continue;
      CD_CHECK(text || !(flags & llvm::ELF::SHF_WRITE) || is_constant(section),
               "a kernel with variables of its own: " + name_of(section));
      place(section);
    }
  }

  void place(const SectionRef& section) {
    bytes_.resize(align_up(bytes_.size(), section.getAlignment().value()));
    places_[section.getIndex()] = bytes_.size();
    const llvm::StringRef contents = section.isBSS() ? "" : ok(section.getContents());
    bytes_.insert(bytes_.end(), contents.begin(), contents.end());
    bytes_.resize(places_[section.getIndex()] + section.getSize());
    CD_CHECK(bytes_.size() < kMostBytes, "a kernel of more than a gigabyte");
  }

  static std::string name_of(const SectionRef& section) { return ok(section.getName()).str(); }
  static bool is_unwind_table(const SectionRef& s) { return name_of(s).starts_with(".eh_frame"); }
  static bool is_constant(const SectionRef& s) { return name_of(s).starts_with(".data.rel.ro"); }

  void relocate(llvm::Expected<llvm::object::section_iterator> target, const RelocationRef& r) {
    const auto section = ok(std::move(target));
    const auto place = places_.find(section->getIndex());
    if (place == places_.end()) return;  // of a section that is left out
    const uint64_t at = place->second + r.getOffset();
    const int64_t addend = ok(llvm::object::ELFRelocationRef(r).getAddend());
    const SymbolRef symbol = *r.getSymbol();
    switch (r.getType()) {
      case llvm::ELF::R_X86_64_PC32:
      case llvm::ELF::R_X86_64_PLT32:
        return patch32(at, static_cast<int64_t>(address(symbol)) + addend);
      case llvm::ELF::R_X86_64_PC64:
        return patch64(at, static_cast<int64_t>(address(symbol)) + addend);
      case llvm::ELF::R_X86_64_GOTPCREL:
      case llvm::ELF::R_X86_64_GOTPCRELX:
      case llvm::ELF::R_X86_64_REX_GOTPCRELX:
        return patch32(at, static_cast<int64_t>(import_slot(symbol)) + addend);
      default:
        break;
    }
    llvm::SmallString<32> type;
    r.getTypeName(type);
    CD_UNREACHABLE("a relocation that images do not have: " + std::string(type) + " to " +
                   ok(symbol.getName()).str());
  }

  uint64_t address(const SymbolRef& symbol) {
    const auto section = ok(symbol.getSection());
    CD_CHECK(section != object_.section_end(),
             "a kernel that refers to " + ok(symbol.getName()).str() + " directly");
    return places_.at(section->getIndex()) + ok(symbol.getValue());
  }

  // Eight bytes that the runtime fills with the symbol's address.
  uint64_t import_slot(const SymbolRef& symbol) {
    const std::string name = ok(symbol.getName()).str();
    CD_CHECK(ok(symbol.getSection()) == object_.section_end() && is_known_import(name),
             "a kernel that imports " + name);
    auto [slot, is_new] = slots_.try_emplace(name, 0);
    if (is_new) {
      bytes_.resize(align_up(bytes_.size(), 8));
      slot->second = bytes_.size();
      bytes_.resize(bytes_.size() + 8);
      image_.imports.push_back({name, static_cast<uint32_t>(slot->second)});
    }
    return slot->second;
  }

  void patch32(uint64_t at, int64_t target) {
    patch(at, static_cast<int32_t>(target - static_cast<int64_t>(at)));
  }
  void patch64(uint64_t at, int64_t target) { patch(at, target - static_cast<int64_t>(at)); }
  template <class T>
  void patch(uint64_t at, T distance) {
    CD_CHECK(at + sizeof distance <= bytes_.size(), "a relocation outside of its section");
    std::memcpy(bytes_.data() + at, &distance, sizeof distance);
  }

  // The file's own symbol may bear the same name.
  uint64_t entry_offset(const std::string& entry) {
    for (const SymbolRef& symbol : object_.symbols())
      if (ok(symbol.getType()) == SymbolRef::ST_Function && ok(symbol.getName()) == entry)
        return address(symbol);
    CD_UNREACHABLE("the object lacks its entry");
  }

  const ELF64LEObjectFile& object_;
  abi::KernelImage& image_;
  std::vector<uint8_t> bytes_;
  std::map<uint64_t, uint64_t> places_;  // of sections, by index
  std::map<std::string, uint64_t> slots_;
};

}  // namespace

void link(llvm::ArrayRef<char> object, const std::string& entry, abi::KernelImage& image,
          bool keep_object) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel");
  auto file = ok(llvm::object::ObjectFile::createELFObjectFile(buffer));
  auto* elf = llvm::dyn_cast<ELF64LEObjectFile>(file.get());
  CD_CHECK(elf, "the back end wrote no 64-bit object");
  Linker linker(*elf, image);
  linker.run(entry);
  if (keep_object) image.debug_object = linker.for_debuggers(object);
}

}  // namespace cuda_device::codegen::host
