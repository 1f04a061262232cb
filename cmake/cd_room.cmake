# cd_room(<name> [FOLDER <folder>] [PUBLIC <rooms>...] [PRIVATE <libraries>...])
#
# One static library cd_<name> of all sources below the calling folder (or below FOLDER). What stands
# behind PUBLIC is what the room may include: linking is the dependency diagram. A room of headers only
# is an INTERFACE library until its first source appears.

function(cd_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "PUBLIC;PRIVATE")
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${arg_FOLDER}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(TRANSFORM arg_PUBLIC PREPEND cd_)
  if(sources)
    add_library(cd_${name} STATIC ${sources})
    target_link_libraries(cd_${name} PUBLIC cd_options ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  else()
    add_library(cd_${name} INTERFACE)
    target_link_libraries(cd_${name} INTERFACE cd_options ${arg_PUBLIC})
  endif()
endfunction()

# cd_room_objects(<out> <rooms>...): the object files of those rooms that have any.
function(cd_room_objects out)
  set(objects)
  foreach(room ${ARGN})
    get_target_property(type cd_${room} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:cd_${room}>)
    endif()
  endforeach()
  set(${out} "${objects}" PARENT_SCOPE)
endfunction()
