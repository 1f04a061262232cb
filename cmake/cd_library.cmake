# cd_library(<name> [FOLDER <folder>] [PUBLIC <libraries>...] [PRIVATE <libraries>...])
#
# One static library cd_<name> of all sources below the calling folder (or below FOLDER). The libraries
# after PUBLIC are those whose headers it may include: linking is the dependency diagram. A library of
# headers only is an INTERFACE library until its first source appears.

function(cd_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "PUBLIC;PRIVATE")
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(TRANSFORM arg_PUBLIC PREPEND cd_)
  if(sources)
    add_library(cd_${name} STATIC ${sources})
    target_link_libraries(cd_${name} PUBLIC cd_options ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    cd_unity(cd_${name} "${folder}" ${sources})
  else()
    add_library(cd_${name} INTERFACE)
    target_link_libraries(cd_${name} INTERFACE cd_options ${arg_PUBLIC})
  endif()
endfunction()

# cd_library_objects(<out> <libraries>...): the object files of those libraries that have any.
function(cd_library_objects out)
  set(objects)
  foreach(library ${ARGN})
    get_target_property(type cd_${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:cd_${library}>)
    endif()
  endforeach()
  set(${out} "${objects}" PARENT_SCOPE)
endfunction()
