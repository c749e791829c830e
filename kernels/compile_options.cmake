# SPDX-License-Identifier: Apache-2.0
# How our C and C++ is compiled: here, and on a user's machine by `joulemark providers build`.
if(NOT CMAKE_BUILD_TYPE)
  if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  else() # in a project of someone else, for our folders alone
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

# The compiler is asked what it compiles for: a name of the processor says nothing of -m32.
include(CheckCSourceCompiles)
check_c_source_compiles("#if !defined __x86_64__
#error no x86-64
#endif
int main(void) { return 0; }" JM_X86_64)

# Tests that look for wrong answers on other architectures build with -O2, in a fraction of the time.
set(JOULEMARK_OPTIMIZATION -O3 CACHE STRING "How the compiler optimizes all C; kernels are tuned for -O3")
mark_as_advanced(JOULEMARK_OPTIMIZATION)
set(JM_C_FLAGS ${JOULEMARK_OPTIMIZATION} -falign-functions=64)
if(NOT WIN32) # which has no procedure linkage table
  list(APPEND JM_C_FLAGS -fno-plt)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # Or GCC makes calls of memcpy of loops that copy secrets (common/secret.h).
  list(APPEND JM_C_FLAGS -fno-tree-loop-distribute-patterns)
endif()
if(JM_X86_64 AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # Flags of the user's (CFLAGS) stand before ours. With -march=native GCC takes the tuning for that CPU too, and some
  # of its tunings make slow vector code of rotations: Skein-512 then takes five times as long (GCC 12.2, AMD EPYC
  # family 26). The last -mtune holds.
  list(APPEND JM_C_FLAGS -mtune=generic)
endif()
# -Wpsabi tells how a call passes vectors; we pass none but to inlined functions.
set(JM_WARNINGS -Wall -Wextra -Wshadow -Wpointer-arith -Wvla -Wno-psabi)
if(NOT JM_X86_64 AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # GCC 12 unrolls loops over a block's rest differently for s390x and AArch64, and then warns of turns that do not
  # happen; sanitizers check these loops on x86-64.
  list(APPEND JM_WARNINGS -Wno-stringop-overflow)
endif()
if(JOULEMARK_WARNINGS_AS_ERRORS)
  # Off for users, whose compilers may have more warnings than ours: `make`, tests and CI set it.
  list(APPEND JM_WARNINGS -Werror)
endif()
