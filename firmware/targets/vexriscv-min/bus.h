// SPDX-License-Identifier: Apache-2.0
// The minimal variant has the buses of the standard one.
#include "../vexriscv/bus.h"
