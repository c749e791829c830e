/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that stay in program memory. On an AVR, which loads them from there with an instruction
 * of another name, a constant without JM_FLASH lies in RAM, of which such a machine has little;
 * elsewhere JM_FLASH is empty. A pointer to such a constant has JM_FLASH too. */
#ifndef JM_FLASH_H
#define JM_FLASH_H

#if defined(__AVR__)
#define JM_FLASH __flash
#else
#define JM_FLASH
#endif

#endif
