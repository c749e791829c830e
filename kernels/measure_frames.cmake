# SPDX-License-Identifier: Apache-2.0
# How deep the frames of this build's kernels are, held against what the kernels overwrite
# (kernels/common/secret.h, tools/measure_frames.py). The answer is jm_mac_wiping_doubt() of the
# target jm_wiping, the variable `wiping` of joulemark.pc, and JOULEMARK_WIPING of the CMake package.
option(JOULEMARK_MEASURE_FRAMES "Measure the kernels' frames; without this the build promises no wiping" ON)
option(JOULEMARK_REQUIRE_WIPING "End the build where a kernel may leave secrets on the stack" OFF)
include(CheckCCompilerFlag)
check_c_compiler_flag(-fstack-usage JM_COMPILER_TELLS_FRAMES)
find_package(Python3 QUIET COMPONENTS Interpreter)

set(jm_not_measured "")
if(JOULEMARK_SANITIZE)
  set(jm_not_measured "a build with sanitizers has other frames than a release")
elseif(NOT JOULEMARK_MEASURE_FRAMES)
  set(jm_not_measured "this build was told not to measure its frames")
elseif(NOT CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  set(jm_not_measured "frames are measured in ELF objects alone")
elseif(NOT JM_COMPILER_TELLS_FRAMES)
  set(jm_not_measured "${CMAKE_C_COMPILER_ID} does not tell the frames of functions")
elseif(NOT Python3_Interpreter_FOUND)
  set(jm_not_measured "frames are measured by Python 3, which this build did not find")
elseif(NOT CMAKE_OBJDUMP)
  set(jm_not_measured "frames are measured with objdump, which this build did not find")
endif()

set(jm_wiping_folder ${PROJECT_BINARY_DIR}/wiping)
set(jm_wiping_source ${jm_wiping_folder}/wiping_doubt.c)
file(MAKE_DIRECTORY ${jm_wiping_folder})
if(jm_not_measured)
  set(JM_WIPING "${jm_not_measured}")
  set(JM_WIPING_TEXT "\"${jm_not_measured}\"")
  configure_file(kernels/mac/wiping_doubt.c.in ${jm_wiping_source} @ONLY)
  configure_file(kernels/mac/joulemarkWiping.cmake.in ${jm_wiping_folder}/joulemarkWiping.cmake @ONLY)
  message(NOTICE "This build does not promise that its kernels leave no secret on the stack: ${jm_not_measured}.")
else()
  target_compile_options(jm_kernels PRIVATE -fstack-usage -ffunction-sections -fdata-sections)
  set(jm_further "")
  if(JOULEMARK_REQUIRE_WIPING)
    list(APPEND jm_further --strict)
  endif()
  if(JOULEMARK_C_LIBRARY AND JOULEMARK_INSTALL)
    list(APPEND jm_further --fill ${jm_wiping_folder}/joulemark.pc.in ${jm_wiping_folder}/joulemark.pc)
  endif()
  add_custom_command(
    OUTPUT ${jm_wiping_source} ${jm_wiping_folder}/joulemarkWiping.cmake
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/measure_frames.py --objdump ${CMAKE_OBJDUMP}
            --report ${jm_wiping_folder}/frames.txt ${jm_further}
            --fill ${PROJECT_SOURCE_DIR}/kernels/mac/wiping_doubt.c.in ${jm_wiping_source}
            --fill ${PROJECT_SOURCE_DIR}/kernels/mac/joulemarkWiping.cmake.in ${jm_wiping_folder}/joulemarkWiping.cmake
            $<TARGET_OBJECTS:jm_kernels>
    DEPENDS $<TARGET_OBJECTS:jm_kernels> tools/measure_frames.py kernels/mac/wiping_doubt.c.in
            kernels/mac/joulemarkWiping.cmake.in
    COMMAND_EXPAND_LISTS VERBATIM COMMENT "Measuring the kernels' frames")
endif()
add_library(jm_wiping OBJECT ${jm_wiping_source})
target_include_directories(jm_wiping PRIVATE kernels/include)
# Whoever builds the kernels also learns what their frames are, and is stopped where wiping is required.
add_custom_target(jm_frames ALL DEPENDS ${jm_wiping_source})
add_dependencies(jm_wiping jm_frames)
