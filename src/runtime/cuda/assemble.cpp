// Runs ptxas as a child process on temporary files.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "runtime/cuda/toolkit.h"

extern char** environ;

namespace cuda_device::cuda {
namespace {

namespace fs = std::filesystem;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "cuda_device_XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Exit status, or minus the signal that ended it; standard output and error go to `log`.
int run(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) throw std::runtime_error("cannot run " + command[0] + ": " + std::strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Not what others send, such as an interrupt.
bool is_crash(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGILL ||
         signal == SIGFPE;
}

}  // namespace

Assembled assemble(const std::string& ptx, int sm, Optimise optimise) {
  const std::string ptxas = find_ptxas();
  if (ptxas.empty())
    throw std::runtime_error("ptxas was not found (CUDA_HOME, PATH, the usual install folder)");
  TemporaryFolder folder;
  std::ofstream(folder / "kernel.ptx") << ptx;
  const fs::path cubin = folder / "kernel.cubin", log = folder / "log";
  std::vector<std::string> command = {
      ptxas, "-v",          "-arch=sm_" + std::to_string(sm), (folder / "kernel.ptx").string(),
      "-o",  cubin.string()};
  if (optimise == Optimise::No) command.emplace_back("-O0");
  const int status = run(command, log);
  Assembled result;
  result.ok = status == 0;
  result.died = is_crash(-status);
  result.log = read_text(log);
  if (status < 0)
    result.log +=
        "ptxas was ended by signal " + std::to_string(-status) + " (" + strsignal(-status) + ")";
  const std::string bytes = result.ok ? read_text(cubin) : "";
  result.cubin.assign(bytes.begin(), bytes.end());
  return result;
}

}  // namespace cuda_device::cuda
