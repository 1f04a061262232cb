# Choices that CMake wants before project(): the default build type, ccache, and lld.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Dev CACHE STRING "Dev, Release, ASan or TSan")
endif()

# GCC's precompiled headers carry time stamps and macros that ccache would else refuse to trust.
# A release holds no paths: what was compiled in one folder serves in another one too.
find_program(CD_CCACHE ccache)
if(CD_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(cd_ccache_env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND cd_ccache_env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}")
  endif()
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;${cd_ccache_env};${CD_CCACHE}"
      CACHE STRING "")
endif()

find_program(CD_LLVM_CONFIG NAMES llvm-config-22 REQUIRED
             DOC "llvm-config of the LLVM 22 to build against")
execute_process(COMMAND ${CD_LLVM_CONFIG} --bindir OUTPUT_VARIABLE CD_LLVM_BINDIR
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
