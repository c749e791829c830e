/* SPDX-License-Identifier: Apache-2.0
 * Features of this CPU: a part of joulemark/kernel.h, under the name that it had before. */
#ifndef JOULEMARK_CPU_H
#define JOULEMARK_CPU_H

#include "joulemark/kernel.h"

#endif
