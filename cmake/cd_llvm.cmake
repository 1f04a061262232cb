# cd_llvm: headers and static archives of LLVM, as llvm-config lists them. (LLVM's own CMake targets
# drag in z3 and a shared zstd.) Only cd_codegen may link it.

function(cd_llvm_config out)
  execute_process(COMMAND ${CD_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(cd_llvm_components x86 nvptx passes linker irreader bitwriter)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
  list(APPEND cd_llvm_components aarch64)
endif()

cd_llvm_config(cd_llvm_version --version)
if(NOT cd_llvm_version MATCHES "^22\\.")
  message(FATAL_ERROR "LLVM 22 is needed; ${CD_LLVM_CONFIG} is ${cd_llvm_version}")
endif()
cd_llvm_config(cd_llvm_includedir --includedir)
cd_llvm_config(cd_llvm_archives --link-static --libfiles ${cd_llvm_components})
find_library(CD_ZLIB_ARCHIVE libz.a REQUIRED)
find_library(CD_ZSTD_ARCHIVE libzstd.a REQUIRED)

add_library(cd_llvm INTERFACE)
target_include_directories(cd_llvm SYSTEM INTERFACE "${cd_llvm_includedir}")
target_compile_definitions(cd_llvm INTERFACE
  __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
target_link_libraries(cd_llvm INTERFACE
  ${cd_llvm_archives} ${CD_ZLIB_ARCHIVE} ${CD_ZSTD_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS})
