/* SPDX-License-Identifier: Apache-2.0
 *
 * common/secret.h on microcontrollers. Programs of firmware are compiled by one compiler with known
 * flags, so STACK_BYTES is what that compiler needs. On Arm and RISC-V the manifests of firmware
 * have the flag -fzero-call-used-regs=used, with which the compiler clears the registers. */
#ifndef JM_FORGET_FIRMWARE_H
#define JM_FORGET_FIRMWARE_H

#if defined(__AVR__)

/* The stack grows down from the byte that its pointer names, and an interrupt's frame, which is
 * dead when these instructions go on, may be overwritten. The compiler keeps r1 at zero. The flag T
 * has a bit of the word that was rotated last, and the flag H a bit of a sum. Each instruction has
 * a line, for the compiler takes the number of lines for the length, and its branches reach 64
 * words. */
#define JM_STORE_4_ "st -Z, r1\n\tst -Z, r1\n\tst -Z, r1\n\tst -Z, r1\n\t"
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        jm_status forget_status_ = (status_);                                                      \
        _Static_assert((stack_bytes_) % 16 == 0 && (stack_bytes_) < 4096, "a counted loop");       \
        __asm__ volatile("in r30, __SP_L__\n\t"                                                    \
                         "in r31, __SP_H__\n\t"                                                    \
                         "adiw r30, 1\n\t"                                                         \
                         "ldi r26, %[pieces]\n"                                                    \
                         "1:\n\t" JM_STORE_4_ JM_STORE_4_ JM_STORE_4_ JM_STORE_4_ "dec r26\n\t"    \
                         "brne 1b\n\t"                                                             \
                         "clr r0\n\tclr r18\n\tclr r19\n\tclr r20\n\tclr r21\n\t"                  \
                         "clr r22\n\tclr r23\n\tclr r27\n\tclr r30\n\tclr r31\n\t"                 \
                         "clt\n\tcp r1, r1"                                                        \
                         : "+r"(forget_status_)                                                    \
                         : [pieces] "M"((stack_bytes_) / 16)                                       \
                         : "r18", "r19", "r20", "r21", "r22", "r23", "r26", "r27", "r30", "r31",   \
                           "cc", "memory");                                                        \
        forget_status_;                                                                            \
    })

#elif defined(__arm__)

/* An interrupt never finds the stack pointer above the words pushed: zeros, the old pointer and the
 * counter, which a short stack, written without a loop, does not need. A function without calls may
 * have kept a secret in lr. */
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__("r0") = (status_);                               \
        _Static_assert((stack_bytes_) % 32 == 0 && (stack_bytes_) < 8192, "a counted loop");       \
        __asm__ volatile(".syntax unified\n\tmov r12, r0\n\tmov r2, sp\n\t"                        \
                         "movs r0, #0\n\tmovs r1, #0\n\t"                                          \
                         ".if %c[pieces] <= 6\n\tmovs r3, #0\n\t"                                  \
                         ".rept 2 * %c[pieces]\n\tpush {r0, r1, r2, r3}\n\t.endr\n\t"              \
                         ".else\n\tmovs r3, %[pieces]\n"                                           \
                         "1:\n\tpush {r0, r1, r2, r3}\n\tpush {r0, r1, r2, r3}\n\t"                \
                         "subs r3, #1\n\tbne 1b\n\t.endif\n\tmov sp, r2\n\t"                       \
                         "mov r0, r12\n\tmov r12, r1\n\tmov lr, r1"                                \
                         : "+r"(forget_status_)                                                    \
                         : [pieces] "i"((stack_bytes_) / 32)                                       \
                         : "r1", "r2", "r3", "r12", "lr", "cc", "memory");                         \
        forget_status_;                                                                            \
    })

#elif defined(__riscv)

#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__("a0") = (status_);                               \
        _Static_assert((stack_bytes_) % 32 == 0 && (stack_bytes_) < 2048, "a counted loop");       \
        __asm__ volatile("addi sp, sp, -%c[stack]\n\t"                                             \
                         ".if %c[stack] <= 192\n\t.set jm_forget_at, 0\n\t"                        \
                         ".rept %c[stack] / 4\n\tsw zero, jm_forget_at(sp)\n\t"                    \
                         ".set jm_forget_at, jm_forget_at + 4\n\t.endr\n\t"                        \
                         "addi sp, sp, %c[stack]\n\t.else\n\t"                                     \
                         "mv t0, sp\n\taddi t1, sp, %c[stack]\n"                                   \
                         "1:\n\t.irp n,0,4,8,12,16,20,24,28\n\tsw zero, \\n(t0)\n\t.endr\n\t"      \
                         "addi t0, t0, 32\n\tbne t0, t1, 1b\n\tmv sp, t1\n\t.endif"                \
                         : "+r"(forget_status_)                                                    \
                         : [stack] "i"(stack_bytes_)                                               \
                         : "t0", "t1", "memory");                                                  \
        forget_status_;                                                                            \
    })

#elif defined(__MSP430__)

/* Compilers for the MSP430 clear no registers, so this does. */
#define JM_FORGET(status_, stack_bytes_)                                                           \
    __extension__({                                                                                \
        register jm_status forget_status_ __asm__("r12") = (status_);                              \
        _Static_assert((stack_bytes_) % 16 == 0, "eight words at a time");                         \
        __asm__ volatile("mov %[pieces], r15\n"                                                    \
                         "1:\n\t.rept 8\n\tpush #0\n\t.endr\n\tdec r15\n\tjnz 1b\n\t"              \
                         "add %[stack], r1\n\tclr r11\n\tclr r13\n\tclr r14\n\tclr r15"            \
                         : "+r"(forget_status_)                                                    \
                         : [stack] "i"(stack_bytes_), [pieces] "i"((stack_bytes_) / 16)            \
                         : "r11", "r13", "r14", "r15", "cc", "memory");                            \
        forget_status_;                                                                            \
    })

#endif
#define JM_FORGET_WITHOUT(status_, stack_bytes_, without_) JM_FORGET(status_, stack_bytes_)

#endif
