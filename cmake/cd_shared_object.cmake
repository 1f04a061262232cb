# Everything that ends up in the folder cuda/device of the wheel is built into the same folder of the build
# tree, so that PYTHONPATH=<build>/python runs what was just built.

set(CD_PACKAGE_DIR "${PROJECT_BINARY_DIR}/python/cuda/device")

# cd_place_in_package(<target>): output folder, rpath and installation of something shipped.
function(cd_place_in_package target)
  set_target_properties(${target} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${CD_PACKAGE_DIR}"
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION cuda/device)
endfunction()

# cd_show_only(<target> <pattern>): every symbol that does not match stays inside the object, those of
# the C++ library's templates and of linked archives included.
function(cd_show_only target pattern)
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${target}.version")
  file(CONFIGURE OUTPUT "${script}" CONTENT "{ global: @pattern@; local: *; };\n" @ONLY)
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${script}" -Wl,--exclude-libs,ALL -Wl,-z,noexecstack)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${script}")
endfunction()

# cd_shared_object(<name> LAYERS <layers>... [LINK <libraries>...] [SHOW <names>...])
#
# A shared object made of the layers' object files, not of their archives: --exclude-libs would hide what
# comes out of an archive. It shows only names that begin with cd_, and those after SHOW.
function(cd_shared_object name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS;LINK;SHOW")
  list(PREPEND arg_SHOW "cd_*")
  list(JOIN arg_SHOW "; " shown)
  cd_library_objects(objects ${arg_LAYERS})
  if(NOT objects)
    message(STATUS "lib${name}.so: no sources yet")
    return()
  endif()
  add_library(${name} SHARED ${objects})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE cd_options ${arg_LINK} Threads::Threads ${CMAKE_DL_LIBS})
  cd_show_only(${name} "${shown}")
  cd_place_in_package(${name})
  # A sanitizer's runtime is found at load time.
  if(NOT CMAKE_BUILD_TYPE MATCHES "San$")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
