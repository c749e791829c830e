# SPDX-License-Identifier: Apache-2.0
# How our C and C++ is compiled: here, and on a user's machine by `joulemark providers build`.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)

set(JM_C_FLAGS -O3 -fno-plt -falign-functions=64)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Flags of the user's (CFLAGS) stand before ours. With -march=native GCC takes the tuning for that CPU too, and some
  # of its tunings make slow vector code of rotations: Skein-512 then takes five times as long (GCC 12.2, AMD EPYC
  # family 26). The last -mtune holds.
  list(APPEND JM_C_FLAGS -mtune=generic)
endif()
set(JM_WARNINGS -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wvla)
