/* SPDX-License-Identifier: Apache-2.0
 * From reset to main on targets whose flash and RAM the linker's script describes (ports/flat.ld):
 * variables with initial values get these values, the other variables get zeros. */
#include <stdint.h>

extern uint8_t jm_data_from[], jm_data_begin[], jm_data_end[], jm_zero_begin[], jm_zero_end[];
extern uint8_t jm_stack_top[];

int main(void);

static void begin(void) {
    const uint8_t *from = jm_data_from;
    for (uint8_t *to = jm_data_begin; to < jm_data_end; to++, from++) {
        *to = *from;
        __asm__ volatile(""); /* keeps the loop from becoming a memcpy, which may need RAM */
    }
    for (uint8_t *to = jm_zero_begin; to < jm_zero_end; to++) {
        *to = 0;
        __asm__ volatile("");
    }
    main();
    for (;;) {
    }
}

#if defined(__arm__)

void jm_reset(void);
void jm_reset(void) {
    begin();
}

__attribute__((section(".vectors"), used)) static const uintptr_t vectors[2] = {
    (uintptr_t)jm_stack_top, (uintptr_t)jm_reset};

#elif defined(__riscv)

void jm_begin(void);
void jm_begin(void) {
    begin();
}

__asm__(".section .vectors, \"ax\"\n"
        ".global jm_reset\n"
        "jm_reset: la sp, jm_stack_top\n"
        "    j jm_begin\n"
        ".text\n");

#elif defined(__MSP430__)

void jm_begin(void);
void jm_begin(void) {
    begin();
}

__asm__(".section .text.jm_reset, \"ax\", @progbits\n"
        ".global jm_reset\n"
        "jm_reset: mov #jm_stack_top, r1\n"
        "    br #jm_begin\n"
        ".section .vectors, \"a\", @progbits\n"
        "    .short jm_reset\n"
        ".text\n");

#endif
