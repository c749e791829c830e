# SPDX-License-Identifier: Apache-2.0
# jm_provider(NAME TITLE title HEADER header LIBRARIES library... PACKAGE debian-package)
#   builds NAME.so from NAME.c, NAME.cpp or NAME/*, if the header compiles and the libraries exist.
# jm_write_provider_list()
#   writes joulemark/plugins/providers.json: every provider, built or not, and why not.
include(CheckIncludeFile)
include(CheckIncludeFileCXX)

set(jm_plugin_folder ${CMAKE_CURRENT_BINARY_DIR}/plugins)

function(jm_provider name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TITLE;HEADER;PACKAGE" "LIBRARIES")
  file(GLOB sources CONFIGURE_DEPENDS ${name}.c ${name}.cpp ${name}/*.c ${name}/*.cpp)
  set(language C)
  set(standard gnu${CMAKE_C_STANDARD})
  if(sources MATCHES "\\.cpp(;|$)")
    set(language CXX)
    set(standard c++${CMAKE_CXX_STANDARD})
  endif()

  # Asked anew on every run: a package may have been installed or removed since.
  set(missing "")
  set(has_header jm_${name}_header)
  unset(${has_header} CACHE)
  if(language STREQUAL "CXX")
    check_include_file_cxx(${arg_HEADER} ${has_header})
  else()
    check_include_file(${arg_HEADER} ${has_header})
  endif()
  if(NOT ${has_header})
    set(missing "header ${arg_HEADER}")
  endif()
  set(libraries "")
  foreach(library IN LISTS arg_LIBRARIES)
    unset(jm_library_${library} CACHE)
    find_library(jm_library_${library} NAMES ${library})
    mark_as_advanced(jm_library_${library})
    if(jm_library_${library})
      list(APPEND libraries ${jm_library_${library}})
    elseif(NOT missing)
      set(missing "library ${library}")
    endif()
  endforeach()

  if(missing)
    set(built false)
    set(reason "\"${missing} not found; on Debian or Ubuntu: apt-get install ${arg_PACKAGE}, then make setup\"")
    message(STATUS "Provider ${name}: not built, ${missing} not found (package ${arg_PACKAGE})")
  else()
    set(built true)
    set(reason null)
    message(STATUS "Provider ${name}: built")
    set(target jm_provider_${name})
    set(exports ${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
    add_library(${target} MODULE ${sources})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ".so"
      LIBRARY_OUTPUT_DIRECTORY ${jm_plugin_folder} LINK_DEPENDS ${exports})
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
      ${PROJECT_SOURCE_DIR}/kernels/include ${PROJECT_SOURCE_DIR}/kernels)
    string(JOIN " " flags -std=${standard} ${JM_C_FLAGS} "(our call, the library as installed)")
    target_compile_definitions(${target} PRIVATE
      JM_BUILD_COMPILER="${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION}"
      JM_BUILD_FLAGS="${flags}")
    target_compile_options(${target} PRIVATE ${JM_WARNINGS})
    # nodelete: at-exit handlers and thread destructors may point into a plugin after dlclose.
    target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,-z,nodelete)
    target_link_libraries(${target} PRIVATE ${libraries})
    install(TARGETS ${target} DESTINATION joulemark/plugins)
    set_property(GLOBAL APPEND PROPERTY JM_PROVIDER_TARGETS ${target})
  endif()

  set_property(GLOBAL APPEND_STRING PROPERTY JM_PROVIDER_ENTRIES
    ",\n  {\"name\": \"${name}\", \"title\": \"${arg_TITLE}\", \"package\": \"${arg_PACKAGE}\", \"built\": ${built}, \"reason\": ${reason}}")
endfunction()

function(jm_write_provider_list)
  get_property(entries GLOBAL PROPERTY JM_PROVIDER_ENTRIES)
  string(REGEX REPLACE "^," "" entries "${entries}")
  file(WRITE ${jm_plugin_folder}/providers.json "[${entries}\n]\n")
  install(FILES ${jm_plugin_folder}/providers.json DESTINATION joulemark/plugins)
endfunction()
