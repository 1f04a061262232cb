# The build tree's package is made of links to the sources, so that an edited .py file needs no build.
# Every build looks for files that came or went.
add_custom_target(cd_python_package ALL
  COMMAND ${CMAKE_COMMAND} "-DFROM=${PROJECT_SOURCE_DIR}/python" "-DTO=${PROJECT_BINARY_DIR}/python"
          -P "${CMAKE_CURRENT_LIST_DIR}/link_package.cmake"
  VERBATIM)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/" DESTINATION .
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION cuda/device/include OPTIONAL)
