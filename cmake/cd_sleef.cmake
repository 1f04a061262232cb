# SLEEF travels in the wheel under a name of ours, so that it never meets another SLEEF in the process.
# The runtime opens it beside itself.

find_library(CD_SLEEF_SHARED libsleef.so.3 REQUIRED)
find_program(CD_PATCHELF patchelf REQUIRED)
set(cd_sleef_bundled "${CD_PACKAGE_DIR}/libcuda_device_sleef.so")

add_custom_command(
  OUTPUT "${cd_sleef_bundled}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${CD_PACKAGE_DIR}"
  COMMAND ${CMAKE_COMMAND} -E copy "${CD_SLEEF_SHARED}" "${cd_sleef_bundled}"
  COMMAND ${CD_PATCHELF} --set-soname libcuda_device_sleef.so "${cd_sleef_bundled}"
  DEPENDS "${CD_SLEEF_SHARED}"
  VERBATIM)
add_custom_target(cd_sleef ALL DEPENDS "${cd_sleef_bundled}")
install(PROGRAMS "${cd_sleef_bundled}" DESTINATION cuda/device)
