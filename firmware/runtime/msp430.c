/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that clang calls on MSP430 in place of GCC's library: shifts of 64 bits, products,
 * quotients (MSP430 Embedded Application Binary Interface, SLAA534A, section 6.3). Products and
 * quotients of 64 bits take their operands in R8 to R11 and R12 to R15, which no C function does:
 * lines of assembler move the operands to where a C function expects them. The multiplier of the
 * part is not used. */
#include <stdint.h>

uint64_t __ashldi3(uint64_t word, int count);
uint64_t __ashldi3(uint64_t word, int count) {
    uint16_t part[4] = {(uint16_t)word, (uint16_t)(word >> 16), (uint16_t)(word >> 32),
                        (uint16_t)(word >> 48)};
    for (; count >= 16; count -= 16) {
        part[3] = part[2], part[2] = part[1], part[1] = part[0], part[0] = 0;
    }
    for (; count > 0; count--) {
        part[3] = (uint16_t)(part[3] << 1 | part[2] >> 15);
        part[2] = (uint16_t)(part[2] << 1 | part[1] >> 15);
        part[1] = (uint16_t)(part[1] << 1 | part[0] >> 15);
        part[0] = (uint16_t)(part[0] << 1);
    }
    return part[0] | (uint64_t)part[1] << 16 | (uint64_t)part[2] << 32 | (uint64_t)part[3] << 48;
}

uint64_t __lshrdi3(uint64_t word, int count);
uint64_t __lshrdi3(uint64_t word, int count) {
    uint16_t part[4] = {(uint16_t)word, (uint16_t)(word >> 16), (uint16_t)(word >> 32),
                        (uint16_t)(word >> 48)};
    for (; count >= 16; count -= 16) {
        part[0] = part[1], part[1] = part[2], part[2] = part[3], part[3] = 0;
    }
    for (; count > 0; count--) {
        part[0] = (uint16_t)(part[0] >> 1 | part[1] << 15);
        part[1] = (uint16_t)(part[1] >> 1 | part[2] << 15);
        part[2] = (uint16_t)(part[2] >> 1 | part[3] << 15);
        part[3] = (uint16_t)(part[3] >> 1);
    }
    return part[0] | (uint64_t)part[1] << 16 | (uint64_t)part[2] << 32 | (uint64_t)part[3] << 48;
}

uint32_t __mspabi_slll(uint32_t word, int count);
uint32_t __mspabi_slll(uint32_t word, int count) {
    for (; count > 0; count--) word += word;
    return word;
}

uint32_t __mspabi_srll(uint32_t word, int count);
uint32_t __mspabi_srll(uint32_t word, int count) {
    for (; count > 0; count--) word >>= 1;
    return word;
}

uint16_t __mspabi_slli(uint16_t word, int count);
uint16_t __mspabi_slli(uint16_t word, int count) {
    for (; count > 0; count--) word = (uint16_t)(word + word);
    return word;
}

uint16_t __mspabi_srli(uint16_t word, int count);
uint16_t __mspabi_srli(uint16_t word, int count) {
    for (; count > 0; count--) word >>= 1;
    return word;
}

uint16_t __mspabi_mpyi(uint16_t one, uint16_t other);
uint16_t __mspabi_mpyi(uint16_t one, uint16_t other) {
    uint16_t sum = 0;
    for (; other; other >>= 1, one = (uint16_t)(one + one))
        if (other & 1) sum = (uint16_t)(sum + one);
    return sum;
}

uint32_t __mspabi_mpyl(uint32_t one, uint32_t other);
uint32_t __mspabi_mpyl(uint32_t one, uint32_t other) {
    uint32_t sum = 0;
    for (; other; other >>= 1, one += one)
        if (other & 1) sum += one;
    return sum;
}

uint16_t __mspabi_divu(uint16_t number, uint16_t by);
uint16_t __mspabi_remu(uint16_t number, uint16_t by);
uint16_t __mspabi_divu(uint16_t number, uint16_t by) {
    uint16_t rest = 0, quotient = 0;
    for (int i = 0; i < 16; i++) {
        rest = (uint16_t)(rest + rest + (number >> 15));
        number = (uint16_t)(number + number);
        quotient = (uint16_t)(quotient + quotient);
        if (rest >= by) rest = (uint16_t)(rest - by), quotient |= 1;
    }
    return quotient;
}

uint16_t __mspabi_remu(uint16_t number, uint16_t by) {
    uint16_t rest = 0;
    for (int i = 0; i < 16; i++) {
        rest = (uint16_t)(rest + rest + (number >> 15));
        number = (uint16_t)(number + number);
        if (rest >= by) rest = (uint16_t)(rest - by);
    }
    return rest;
}

uint64_t jm_product(uint64_t one, uint64_t other);
uint64_t jm_product(uint64_t one, uint64_t other) {
    uint64_t sum = 0;
    for (; other; other >>= 1, one += one)
        if (other & 1) sum += one;
    return sum;
}

uint64_t jm_remainder(uint64_t number, uint64_t by);
uint64_t jm_remainder(uint64_t number, uint64_t by) {
    uint64_t rest = 0;
    for (int i = 0; i < 64; i++) {
        rest = rest + rest + (uint64_t)(number >> 63);
        number += number;
        if (rest >= by) rest -= by;
    }
    return rest;
}

__asm__(".section .text.__mspabi_mpyll, \"ax\", @progbits\n"
        ".global __mspabi_mpyll\n"
        "__mspabi_mpyll: push r11\n push r10\n push r9\n push r8\n"
        "    call #jm_product\n add #8, r1\n ret\n"
        ".section .text.__mspabi_remull, \"ax\", @progbits\n"
        ".global __mspabi_remull\n"
        "__mspabi_remull: push r15\n push r14\n push r13\n push r12\n"
        "    mov r8, r12\n mov r9, r13\n mov r10, r14\n mov r11, r15\n"
        "    call #jm_remainder\n add #8, r1\n ret\n"
        ".text\n");
