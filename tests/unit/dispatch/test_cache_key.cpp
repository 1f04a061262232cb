// What an entry of the cache depends on, and where the cache is.
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <map>
#include <optional>
#include <set>

#include "dispatch/compiled.h"
#include "dispatch/disk/build_digest.h"
#include "dispatch/disk/kernel_cache.h"
#include "dispatch/disk/machine.h"
#include "dispatch/disk/settings.h"
#include "unit/dispatch/scratch_folder.h"
#include "unit/in_child.h"

namespace cuda_device::dispatch {
namespace {

using Environment = std::map<std::string, std::string>;

const char* const kVariables[] = {"CUDA_DEVICE_CACHE",      "CUDA_DEVICE_CACHE_DIR",
                                  "CUDA_DEVICE_CACHE_SIZE", "CUDA_DEVICE_VERIFY",
                                  "XDG_CACHE_HOME",         "HOME"};

// Those variables are these and no others, for the scope.
class WithEnvironment {
 public:
  explicit WithEnvironment(const Environment& wanted) {
    for (const char* name : kVariables) {
      const char* value = getenv(name);
      before_.emplace_back(name, value ? std::optional<std::string>(value) : std::nullopt);
      const auto at = wanted.find(name);
      set(name, at == wanted.end() ? std::nullopt : std::optional(at->second));
    }
  }
  ~WithEnvironment() {
    for (const auto& [name, value] : before_) set(name, value);
  }

 private:
  static void set(const char* name, const std::optional<std::string>& value) {
    value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }
  std::vector<std::pair<const char*, std::optional<std::string>>> before_;
};

CacheSettings settings_with(const Environment& environment) {
  const WithEnvironment scope(environment);
  return cache_settings();
}

TEST(CacheSettings, SayWhereTheCacheIs) {
  const ScratchFolder home;
  const std::string own = home.path();
  const auto folder = [](const Environment& e) { return settings_with(e).folder; };
  EXPECT_EQ(folder({{"HOME", own}}), own + "/.cache/cuda-device");
  EXPECT_EQ(folder({{"HOME", own}, {"XDG_CACHE_HOME", "/x"}}), "/x/cuda-device");
  EXPECT_EQ(folder({{"HOME", own}, {"XDG_CACHE_HOME", "relative"}}), own + "/.cache/cuda-device");
  EXPECT_EQ(folder({{"CUDA_DEVICE_CACHE_DIR", "/d"}, {"XDG_CACHE_HOME", "/x"}}), "/d");
  EXPECT_EQ(folder({{"CUDA_DEVICE_CACHE_DIR", "d"}}), std::filesystem::current_path() / "d");
  EXPECT_EQ(folder({{"HOME", own}, {"CUDA_DEVICE_CACHE_DIR", ""}}), own + "/.cache/cuda-device");
}

TEST(CacheSettings, WithoutAHomeThereIsNone) {
  for (const char* home : {"", "/no/such/folder", "relative"}) {
    const CacheSettings settings = settings_with({{"HOME", home}});
    EXPECT_EQ(settings.folder, "") << home;
    EXPECT_EQ(settings.off, "no home folder") << home;
  }
  EXPECT_EQ(settings_with({}).folder, "");
  const ScratchFolder of_another;
  if (chown(of_another.path().c_str(), 12345, static_cast<gid_t>(-1)) != 0) return;
  EXPECT_EQ(settings_with({{"HOME", of_another.path()}}).folder, "");
}

TEST(CacheSettings, SayHowLargeItMayBe) {
  const auto limit = [](const char* text) {
    return settings_with({{"CUDA_DEVICE_CACHE_SIZE", text}}).limit;
  };
  constexpr uint64_t kUsual = uint64_t{512} << 20;
  EXPECT_EQ(settings_with({}).limit, kUsual);
  EXPECT_EQ(limit("12345"), 12345u);
  EXPECT_EQ(limit("7K"), 7168u);
  EXPECT_EQ(limit("3M"), uint64_t{3} << 20);
  EXPECT_EQ(limit("2G"), uint64_t{2} << 30);
  EXPECT_EQ(limit("0"), 0u);
  for (const char* odd : {"", "M", "-1", "1.5G", "12MB", "99999999999999999999", "99999999999G"})
    EXPECT_EQ(limit(odd), kUsual) << odd;
}

TEST(CacheSettings, SayWhetherItIsUsed) {
  const Environment somewhere = {{"CUDA_DEVICE_CACHE_DIR", "/d"}};
  EXPECT_EQ(settings_with(somewhere).off, "");
  const auto off = [&](const char* name, const char* value) {
    Environment environment = somewhere;
    environment[name] = value;
    return settings_with(environment).off;
  };
  EXPECT_EQ(off("CUDA_DEVICE_CACHE", "off"), "CUDA_DEVICE_CACHE=off");
  EXPECT_EQ(off("CUDA_DEVICE_CACHE", "on"), "");
  EXPECT_EQ(off("CUDA_DEVICE_VERIFY", "1"), "CUDA_DEVICE_VERIFY is set");
}

TEST(BuildDigest, IsOne) {
  EXPECT_EQ(kBuildDigest.size(), 64u);
  EXPECT_EQ(kBuildDigest.find_first_not_of("0123456789abcdef"), std::string_view::npos);
}

// The number of a core, or what it counts, would make every launch a miss.
TEST(MachineIdentity, IsTheSameOnEveryCpu) {
  const std::string here = read_machine_identity();
  EXPECT_EQ(machine_identity(), here);
  cpu_set_t mine, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &mine)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(read_machine_identity(), here) << cpu;
  }
  sched_setaffinity(0, sizeof mine, &mine);
#if defined(__x86_64__)
  EXPECT_GT(here.size(), 50u);
#endif
}

// The process's cache is looked up once, so each check has a child of its own.
int with_cache(const std::string& folder, auto check) {
  return in_child([&] {
    const WithEnvironment scope({{"CUDA_DEVICE_CACHE_DIR", folder}});
    return check();
  });
}

Specialisation some_specialisation() {
  Specialisation s;
  s.identity = "program and types";
  return s;
}

compile::CompileRequest request_for_target(const char* target) {
  compile::CompileRequest request;
  request.source.target = frontend::TargetName::of(target);
  return request;
}

// Requests that differ in one thing only.
TEST(CacheKey, HasAllThatTheImageDependsOn) {
  const ScratchFolder scratch;
  const int result = with_cache(scratch / "cache", [&] {
    std::set<std::string> keys;
    const Specialisation s = some_specialisation();
    const auto is_new = [&](const auto& request) {
      return keys.insert(cache_key(s, request)).second;
    };
    for (const char* target : {"", "avx512", "avx512x32", "avx512x64", "avx2", "sm_80", "sm_90"})
      if (!is_new(request_for_target(target))) return 1;
    const auto changed = [&](auto change) {
      compile::CompileRequest request = request_for_target("sm_90");
      change(request);
      return is_new(request);
    };
    if (!changed([](auto& r) { r.ptx_version = 83; })) return 2;
    if (!changed([](auto& r) { r.source.dialect = frontend::DialectName::NumbaPro; })) return 3;
    if (!changed([](auto& r) { r.source.checks = true; })) return 4;
    if (!changed([](auto& r) { r.source.target.device = false; })) return 5;
    if (!changed([](auto& r) { r.tuning.switch_off(Heuristic::guards); })) return 8;
    if (!changed([](auto& r) { r.tuning.switch_off(Heuristic::windows); })) return 9;
    Specialisation other = s;
    other.identity += "!";
    if (!keys.insert(cache_key(other, request_for_target("sm_90"))).second) return 6;
    for (const std::string& key : keys)
      if (key.find(kBuildDigest) == std::string::npos) return 7;
    return 0;
  });
  EXPECT_EQ(result, 0);
}

TEST(CacheKey, HasWhatTheEnvironmentSwitchesOff) {
  const ScratchFolder scratch;
  const int result = with_cache(scratch / "cache", [&] {
    const auto key_with = [](const char* list) {
      setenv("CUDA_DEVICE_TUNING", list, 1);
      const Specialisation s = some_specialisation();
      return cache_key(s, request_for(s, "avx2"));
    };
    if (key_with("") == key_with("-guards")) return 1;
    if (key_with("-rows,-guards") != key_with("-guards,-rows")) return 2;
    return key_with("-rows") != key_with("-guards") ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
}

TEST(CacheKey, HasTheMachineWhereItMatters) {
  const ScratchFolder scratch;
  const int result = with_cache(scratch / "cache", [&] {
    const auto has_machine = [](const char* target) {
      const std::string key = cache_key(some_specialisation(), request_for_target(target));
      return key.find(machine_identity()) != std::string::npos;
    };
    return has_machine("") && has_machine("sse4") && !has_machine("sm_90") ? 0 : 1;
  });
  EXPECT_EQ(result, 0);
}

TEST(CacheKey, HasWhatLibdeviceHoldsAndNotWhereItLies) {
  const ScratchFolder scratch;
  const int result = with_cache(scratch / "cache", [&] {
    const auto key_with = [&](const std::string& name, const std::string& contents) {
      overwrite(scratch / name, contents);
      compile::CompileRequest request = request_for_target("sm_90");
      request.libdevice = scratch / name;
      return cache_key(some_specialisation(), request);
    };
    if (key_with("a", "1") != key_with("b", "1")) return 1;
    return key_with("a", "1") != key_with("a", "2") ? 0 : 2;
  });
  EXPECT_EQ(result, 0);
}

TEST(CacheKey, IsEmptyWhereNothingIsKept) {
  const ScratchFolder scratch;
  EXPECT_EQ(with_cache(scratch / "cache",
                       [] { return cache_key(Specialisation(), request_for_target("")) != ""; }),
            0);
  EXPECT_EQ(in_child([&] {
              const WithEnvironment scope({{"CUDA_DEVICE_CACHE", "off"}, {"HOME", scratch.path()}});
              keep_image("", {});
              return cache_key(some_specialisation(), request_for_target("")) != "" ||
                     !names_in(scratch.path()).empty();
            }),
            0);
}

TEST(CacheWarning, ComesOnce) {
  const ScratchFolder scratch;
  EXPECT_EQ(with_cache(scratch / "cache", [] { return !cache_warning().empty(); }), 0);
  chmod(scratch.path().c_str(), 0755);
  EXPECT_EQ(with_cache(scratch.path(),
                       [] {
                         const std::string warning = cache_warning();
                         if (warning.find("chmod 700") == std::string::npos) return 1;
                         return cache_warning().empty() ? 0 : 2;
                       }),
            0);
}

}  // namespace
}  // namespace cuda_device::dispatch
