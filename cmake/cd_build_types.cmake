# Language, warnings and build types, for every target of this project.
#
#   Dev      quick to compile, still readable in a debugger; assertions on
#   Release  what a wheel holds
#   ASan     address and undefined-behaviour sanitizers
#   TSan     thread sanitizer

set(CD_BUILD_TYPES Dev Release ASan TSan)
if(NOT CMAKE_BUILD_TYPE IN_LIST CD_BUILD_TYPES)
  message(FATAL_ERROR "CMAKE_BUILD_TYPE is '${CMAKE_BUILD_TYPE}'; it must be one of ${CD_BUILD_TYPES}")
endif()

# A wheel does not say in which folder it was built; ccache hands relative paths to the compiler.
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_BINARY_DIR}"
           OUTPUT_VARIABLE cd_to_source)
set(cd_no_paths "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -fmacro-prefix-map=${cd_to_source}/=")

# vptr: needs the type information of LLVM's classes, which LLVM's archives do not all export.
# maybe-uninitialized: sees ghosts in the standard library once it is instrumented.
set(cd_asan "-Wno-maybe-uninitialized -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined")
set(CMAKE_CXX_FLAGS_DEV "-O1 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG ${cd_no_paths}")
set(CMAKE_CXX_FLAGS_ASAN "-O1 -g1 -fno-omit-frame-pointer ${cd_asan}")
set(CMAKE_CXX_FLAGS_TSAN "-O1 -g1 -fno-omit-frame-pointer -fsanitize=thread")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_ASAN "${cd_asan}")
  set(CMAKE_${kind}_LINKER_FLAGS_TSAN "-fsanitize=thread")
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# -ffp-contract=off: the interpreter must give the bits that the IR says, on every host.
add_library(cd_options INTERFACE)
target_compile_options(cd_options INTERFACE
  -Wall -Wextra -Werror -ffp-contract=off -ffunction-sections -fdata-sections)
target_include_directories(cd_options INTERFACE
  "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include")

# gcc looks for ld.lld in its own folders; Debian keeps LLVM's in LLVM's.
add_link_options(-fuse-ld=lld "-B${CD_LLVM_BINDIR}" -Wl,--gc-sections)

find_package(Threads REQUIRED)
