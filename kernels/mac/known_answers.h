/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an implementation gives the known answer of its algorithm. A compiler may make wrong code
 * of right text, for one architecture and one file (GCC 12.2 for armhf did so with SHA-1), so the
 * question is asked of the code itself: at the end of each build that can run its programs
 * (tools/check_answers.c), and once in a process before joulemark/mac.h offers an implementation,
 * which also covers builds for another machine and instructions that the building machine lacks. */
#ifndef JM_KNOWN_ANSWERS_H
#define JM_KNOWN_ANSWERS_H

#include "joulemark/kernel.h"

/* Runs every way to the output that `self` has, each with messages of 0 to 1100 bytes under one
 * public key: whole messages, streams, and batches that fill all lanes more than once. True if all
 * ways agree and their outputs are those of a reference that shares nothing with the kernels
 * (tools/known_answers.py); false also for an algorithm without a known answer. This CPU must have
 * the features that `self` needs. Takes 20 to 100 us and 32 KiB of stack. */
bool jm_gives_known_answer(const jm_implementation *self);

#endif
