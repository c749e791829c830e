/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs one program of firmware/bench on an AVR that libsimavr simulates, and writes a log of it:
 *
 *     simavr MCU PROGRAM.elf LARGEST_CORE_CYCLES
 *
 *     mark NUMBER CORE_CYCLES INSTRUCTIONS   at each mark, both since reset
 *     byte NUMBER                            a byte of the answer
 *     end                                    the program ended by itself
 *     crash WHY                              the program did not end by itself
 *
 * Compiled on the user's machine, since the library has another name on every system.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sim_avr.h>
#include <sim_core.h>
#include <sim_elf.h>
#include <sim_io.h>

/* Data addresses, the same as in firmware/ports/avr.h. */
enum { PORT_MARK = 0xf0, PORT_PUT = 0xf1, PORT_END = 0xf2 };

static uint64_t instructions;
static int ended;

static void on_mark(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param) {
    (void)address, (void)param;
    printf("mark %u %" PRIu64 " %" PRIu64 "\n", value, (uint64_t)avr->cycle, instructions);
}

static void on_put(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param) {
    (void)avr, (void)address, (void)param;
    printf("byte %u\n", value);
}

static void on_end(struct avr_t *avr, avr_io_addr_t address, uint8_t value, void *param) {
    (void)avr, (void)address, (void)value, (void)param;
    ended = 1;
}

/* Drops the library's messages, which would mix with the log. */
static void silent(avr_t *avr, const int level, const char *format, va_list arguments) {
    (void)avr, (void)level, (void)format, (void)arguments;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: simavr MCU PROGRAM.elf LARGEST_CORE_CYCLES\n");
        return 2;
    }
    const uint64_t most = strtoull(argv[3], NULL, 10);
    elf_firmware_t firmware;
    memset(&firmware, 0, sizeof firmware);
    avr_global_logger_set(silent);
    avr_t *avr = avr_make_mcu_by_name(argv[1]);
    if (!avr || elf_read_firmware(argv[2], &firmware) != 0) {
        printf("crash simavr knows no %s, or cannot read the program\n", argv[1]);
        return 1;
    }
    avr_init(avr);
    avr->log = 0;
    avr_load_firmware(avr, &firmware);
    avr_register_io_write(avr, PORT_MARK, on_mark, NULL);
    avr_register_io_write(avr, PORT_PUT, on_put, NULL);
    avr_register_io_write(avr, PORT_END, on_end, NULL);
    while (!ended && avr->cycle < most) {
        const int state = avr_run(avr);
        instructions++;
        if (state == cpu_Done || state == cpu_Crashed) {
            printf("crash the program counter left the program at %" PRIu64 " core cycles\n",
                   (uint64_t)avr->cycle);
            return 1;
        }
    }
    printf(ended ? "end\n" : "crash no end within %" PRIu64 " core cycles\n", most);
    return ended ? 0 : 1;
}
