# cmake -DFROM=<source folder> -DTO=<build folder> -P link_package.cmake
# Makes TO a picture of FROM out of symbolic links, and removes links that lead nowhere.

file(GLOB_RECURSE wanted RELATIVE "${FROM}" "${FROM}/*.py" "${FROM}/*.pyi" "${FROM}/py.typed")
foreach(file ${wanted})
  if(NOT EXISTS "${TO}/${file}")
    get_filename_component(folder "${TO}/${file}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    file(CREATE_LINK "${FROM}/${file}" "${TO}/${file}" SYMBOLIC)
  endif()
endforeach()

file(GLOB_RECURSE present "${TO}/*.py" "${TO}/*.pyi")
foreach(file ${present})
  if(NOT EXISTS "${file}")
    file(REMOVE "${file}")
  endif()
endforeach()
