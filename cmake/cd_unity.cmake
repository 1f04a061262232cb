# cd_unity(<target> <folder> <sources>...): compiles the sources of each folder below <folder>
# together, at most ten at a time: three fifths of the time that a source takes by itself go into
# headers and templates which its neighbours need too. So names in anonymous namespaces are unique
# within a folder of the sources. CD_UNITY=OFF compiles each source by itself, which is quicker where
# one of them is edited again and again; releases are compiled so.

set(cd_unity_default ON)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(cd_unity_default OFF)
endif()
option(CD_UNITY "Compile the sources of a folder together" ${cd_unity_default})

set(cd_unity_most 10)

function(cd_unity target folder)
  if(NOT CD_UNITY)
    return()
  endif()
  set(folders)
  foreach(source ${ARGN})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${folder}" OUTPUT_VARIABLE relative)
    cmake_path(GET relative PARENT_PATH parent)
    string(MAKE_C_IDENTIFIER "_${parent}" group)
    list(APPEND folders ${group})
    list(APPEND sources${group} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(group ${folders})
    list(LENGTH sources${group} count)
    math(EXPR parts "(${count} + ${cd_unity_most} - 1) / ${cd_unity_most}")
    math(EXPR size "(${count} + ${parts} - 1) / ${parts}")
    set(index 0)
    foreach(source ${sources${group}})
      math(EXPR part "${index} / ${size}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${target}${group}_${part}")
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # Speaks of anonymous namespaces outside of the file that is compiled.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
