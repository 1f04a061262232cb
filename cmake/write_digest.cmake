# cmake -DOBJECT=<shared object> -DLIST=<file of paths> -DINTO=<source> -P write_digest.cmake
# Writes the source that defines kBuildDigest.
file(SHA256 "${OBJECT}" digests)
file(STRINGS "${LIST}" sources)
foreach(source ${sources})
  file(SHA256 "${source}" digest)
  string(APPEND digests "${digest}")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE "${INTO}" "#include \"dispatch/disk/build_digest.h\"

const std::string_view cuda_device::dispatch::kBuildDigest = \"${digest}\";
")
