# cd_build_digest(<name> OF <shared object> FOLDERS <folders>...)
#
# A library <name> that defines kBuildDigest (dispatch/disk/build_digest.h): a digest of the shared
# object's bytes and of all sources below the folders. It is another one wherever the compiler, its
# flags or LLVM are, or what hands programs to it; no time stamp goes into it.
function(cd_build_digest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OF" "FOLDERS")
  set(patterns)
  foreach(folder ${arg_FOLDERS})
    foreach(suffix cpp h def)
      list(APPEND patterns "${PROJECT_SOURCE_DIR}/${folder}/*.${suffix}")
    endforeach()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
  list(SORT sources)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${name}.list")
  list(JOIN sources "\n" lines)
  file(CONFIGURE OUTPUT "${list}" CONTENT "@lines@\n" @ONLY)
  set(made "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  add_custom_command(
    OUTPUT "${made}"
    COMMAND ${CMAKE_COMMAND} "-DOBJECT=$<TARGET_FILE:${arg_OF}>" "-DLIST=${list}" "-DINTO=${made}"
            -P "${PROJECT_SOURCE_DIR}/cmake/write_digest.cmake"
    DEPENDS ${arg_OF} "$<TARGET_FILE:${arg_OF}>" "${list}" ${sources}
            "${PROJECT_SOURCE_DIR}/cmake/write_digest.cmake"
    VERBATIM)
  add_library(${name} STATIC "${made}")
  target_link_libraries(${name} PRIVATE cd_options)
endfunction()
