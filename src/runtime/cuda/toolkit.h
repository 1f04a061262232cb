// Parts of CUDA's toolkit, used where found: libdevice and ptxas.
#pragma once

#include <string>
#include <vector>

namespace cuda_device::cuda {

// Folders given by the host language (site-packages), searched after CUDA_HOME, CUDA_PATH, PATH and
// the usual place.
void add_search_path(const std::string& folder);
std::string find_libdevice();  // path, or empty
std::string find_ptxas();
std::string find_in_toolkit(const std::string& library);  // by its file's name; path, or empty

struct Assembled {
  bool ok = false;
  bool died = false;  // ptxas fell over itself, as the log says: what it thinks is not known
  std::string log;    // ptxas's messages, with -v
  std::vector<char> cubin;
};
enum class Optimise : bool { No, Yes };
// Assembles PTX text for sm_<sm>. Throws std::runtime_error where ptxas cannot be run at all.
Assembled assemble(const std::string& ptx, int sm, Optimise optimise = Optimise::Yes);

}  // namespace cuda_device::cuda
