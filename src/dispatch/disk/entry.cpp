#include "dispatch/disk/entry.h"

#include <cstring>

#include "support/bytes.h"
#include "support/sha256.h"

namespace cuda_device::dispatch {
namespace {

// The last digit is the version of this format.
constexpr std::string_view kMagic = "cdcache1";

std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string entry_name(std::string_view key) { return hex(sha256(key)) + ".kernel"; }

// Magic, checksum of all that follows, key, value.
std::string entry_bytes(std::string_view key, std::string_view value) {
  ByteWriter body;
  body.text(key);
  body.text(value);
  const std::string bytes = body.take();
  const Digest sum = sha256(bytes);
  std::string entry(kMagic);
  entry.append(view_of(sum)).append(bytes);
  return entry;
}

EntryContents read_entry(std::string_view bytes, std::string_view key) {
  EntryContents contents;
  ByteReader reader(bytes);
  const bool known = reader.bytes(kMagic.size()) == kMagic;
  const std::string_view sum = reader.bytes(sizeof(Digest));
  if (!known || !reader.ok()) return contents;
  if (sum != view_of(sha256(bytes.substr(kMagic.size() + sizeof(Digest))))) return contents;
  const std::string_view its_key = reader.text(), value = reader.text();
  contents.whole = reader.ended_well();
  if (contents.whole && its_key == key) contents.value = value;
  return contents;
}

}  // namespace cuda_device::dispatch
