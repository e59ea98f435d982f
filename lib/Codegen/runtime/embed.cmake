# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes each of SOURCES as a raw string literal into OUTPUT, for #include.
set(text "")
foreach(source IN LISTS SOURCES)
  get_filename_component(name "${source}" NAME)
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "${name}")
  file(READ "${source}" content)
  string(APPEND text "static constexpr char ${name}[] =\n"
                     "R\"diffuse(${content})diffuse\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
