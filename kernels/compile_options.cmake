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
set(JM_WARNINGS -Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wvla)
