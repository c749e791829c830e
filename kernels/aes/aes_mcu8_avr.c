/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128, AES-192 and AES-256 encryption (FIPS 197, sections 5.1 and 5.2) in AVR instructions.
 * Technique: the state is in sixteen registers, of which GCC 5 keeps half in memory when it
 *   compiles aes_mcu8.c; the S-box is a page of program memory, whose number stays in the upper
 *   half of a pointer. A byte is doubled by a shift and a jump over one instruction, which take
 *   three core cycles either way.
 * State layout: as aes_mcu8.c; key states are the same.
 * CPU features: an AVR with LPM Rd, Z and MOVW (ATmega).
 * Constant time: no, because of the table; see aes_mcu8.c.
 * Best for: AVR; README.md has its core cycles. */
#include "aes/aes.h"

#if defined(__AVR__)
#include "aes/aes_sbox_bytes.h"

/* Saved registers. */
enum { STACK_BYTES = 64 };

/* State byte 4 c + r is in register 2 + 4 c + r. X walks along the round keys; Z reads blocks and
 * the S-box. */
#define EACH(MACRO)                                                                                \
    MACRO(2)                                                                                       \
    MACRO(3)                                                                                       \
    MACRO(4)                                                                                       \
    MACRO(5)                                                                                       \
    MACRO(6)                                                                                       \
    MACRO(7)                                                                                       \
    MACRO(8)                                                                                       \
    MACRO(9)                                                                                       \
    MACRO(10)                                                                                      \
    MACRO(11)                                                                                      \
    MACRO(12)                                                                                      \
    MACRO(13)                                                                                      \
    MACRO(14)                                                                                      \
    MACRO(15)                                                                                      \
    MACRO(16)                                                                                      \
    MACRO(17)
#define LOAD(s) "ld r" #s ", Z+\n\t"
#define STORE(s) "st Z+, r" #s "\n\t"
#define ADD_KEY(s) "ld r0, X+\n\teor r" #s ", r0\n\t"
/* AddRoundKey and SubBytes of one byte. */
#define ADD_AND_LOOK_UP(s) "ld r30, X+\n\teor r30, r" #s "\n\tlpm r" #s ", Z\n\t"
/* ShiftRows: rows 1, 2 and 3 to the left by as many columns. */
#define SHIFT_ROWS                                                                                 \
    "mov r0, r3\n\tmov r3, r7\n\tmov r7, r11\n\tmov r11, r15\n\tmov r15, r0\n\t"                   \
    "mov r0, r4\n\tmov r4, r12\n\tmov r12, r0\n\tmov r0, r8\n\tmov r8, r16\n\tmov r16, r0\n\t"     \
    "mov r0, r17\n\tmov r17, r13\n\tmov r13, r9\n\tmov r9, r5\n\tmov r5, r0\n\t"
#define DOUBLE(x) "lsl " x "\n\tbrcc .+2\n\teor " x ", %[reduce]\n\t"
/* MixColumns of the column s0 to s3: twice the sum of bytes i and i + 1, and the sum of all four,
 * are added to byte i. */
#define MIX(s0, s1, s2, s3)                                                                        \
    "mov r18, r" #s0 "\n\teor r18, r" #s1 "\n\t"                                                   \
    "mov r19, r" #s1 "\n\teor r19, r" #s2 "\n\t"                                                   \
    "mov r20, r" #s2 "\n\teor r20, r" #s3 "\n\t"                                                   \
    "mov r1, r" #s3 "\n\teor r1, r" #s0 "\n\t"                                                     \
    "mov r0, r18\n\teor r0, r20\n\t" DOUBLE("r18") DOUBLE("r19") DOUBLE("r20")                     \
        DOUBLE("r1") "eor r" #s0 ", r18\n\teor r" #s0 ", r0\n\teor r" #s1 ", r19\n\teor r" #s1     \
                     ", r0\n\t"                                                                    \
                     "eor r" #s2 ", r20\n\teor r" #s2 ", r0\n\teor r" #s3 ", r1\n\teor r" #s3      \
                     ", r0\n\t"

/* r1, which the compiler has at zero, is cleared again; an interrupt saves it and clears it itself.
 */
static __attribute__((noinline)) void encrypt_block(const uint8_t *key, uint8_t rounds,
                                                    const uint8_t *in, uint8_t *out) {
    __asm__ volatile(
        EACH(LOAD) "ldi r31, hi8(%[table])\n"
                   "1:\n\t" EACH(ADD_AND_LOOK_UP) SHIFT_ROWS
        "dec %[rounds]\n\t"
        "brne .+2\n\t"
        "rjmp 2f\n\t" MIX(2, 3, 4, 5) MIX(6, 7, 8, 9) MIX(10, 11, 12, 13)
            MIX(14, 15, 16, 17) "rjmp 1b\n"
                                "2:\n\t" EACH(ADD_KEY) "movw r30, %[out]\n\t" EACH(STORE) "clr r1"
        : [rounds] "+r"(rounds), "+x"(key), "+z"(in)
        : [out] "r"(out), [table] "i"(aes_sbox_bytes), [reduce] "r"((uint8_t)0x1b)
        : "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "r16", "r17", "r18", "r19", "r20", "memory");
}

#include "aes/aes_mcu8_variant.h"

JM_AES_MCU8_VARIANT(mcu8_avr, "AVR instructions, and a table.")
#endif
