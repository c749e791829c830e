/* SPDX-License-Identifier: Apache-2.0
 *
 * jm_forget_below, which JM_FORGET of common/secret.h calls: it overwrites with zeros as many bytes
 * below the stack pointer of its caller as a register says, a multiple of 64, and clears all
 * registers that the ABI lets a function change, but for the result of its caller. On x86 the CPU,
 * and not the file of a kernel, decides which vectors these are, since kernels and the C library
 * choose their instructions by the CPU; elsewhere the flags of the build decide, for all files. The
 * stack pointer is lowered meanwhile, so that no signal handler's frame is overwritten. This is
 * assembly, since compiled code would use registers and stack of its own. */
#include "common/secret.h"

#if defined(JM_CALL_FORGET_BELOW_)

#if defined(__ELF__)
#define JM_HIDDEN_FUNCTION_ ".hidden " JM_FORGET_BELOW_ "\n.type " JM_FORGET_BELOW_ ", %function\n"
#else
#define JM_HIDDEN_FUNCTION_
#endif
#define JM_BEGIN_                                                                                  \
    ".text\n.balign 64\n.globl " JM_FORGET_BELOW_ "\n" JM_HIDDEN_FUNCTION_ JM_FORGET_BELOW_ ":\n"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Vectors of this CPU that the system saves too (Intel SDM vol. 1, sections 14.3 and 15.2). */
enum { SSE2, AVX, AVX512_VL, AVX512_F, NO_VECTORS = 255 };
extern uint8_t jm_vector_level __attribute__((visibility("hidden")));
uint8_t jm_vector_level;
#define JM_LEVEL_ JM_TEXT_(__USER_LABEL_PREFIX__) "jm_vector_level"

__attribute__((constructor(101))) static void find_level(void) {
    uint32_t eax, ebx, ecx, edx, low, high;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(edx & bit_SSE2)) {
        jm_vector_level = NO_VECTORS;
        return;
    }
    if (!(ecx & bit_OSXSAVE) || !(ecx & bit_AVX)) return;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x06) != 0x06) return;
    jm_vector_level = AVX;
    if ((low & 0xe6) != 0xe6 || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return;
    if (ebx & bit_AVX512F) jm_vector_level = ebx & bit_AVX512VL ? AVX512_VL : AVX512_F;
}
#endif

#if defined(__x86_64__)
/* A VEX or EVEX instruction that writes the low 128 bits clears all bits above. Vectors of 512 bits
 * are avoided where they can be: some CPUs lower their clock for them. */
__asm__(JM_BEGIN_
        "leaq (%rsp), %rdx\n"
        "subq %rcx, %rsp\n"
        "cmpb $1, " JM_LEVEL_ "(%rip)\n"
        "jb 4f\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvpxor %xmm\\n, %xmm\\n, %xmm\\n\n.endr\n"
        "ja 2f\n"
        "1:\nvmovdqu %ymm0, -32(%rsp,%rcx)\nvmovdqu %ymm0, -64(%rsp,%rcx)\n"
        "subq $64, %rcx\njnz 1b\n"
        "3:\nmovq %rdx, %rsp\n"
        "xorl %edx, %edx\nxorl %esi, %esi\nxorl %edi, %edi\nxorl %r8d, %r8d\nxorl %r9d, %r9d\n"
        "xorl %r10d, %r10d\nxorl %r11d, %r11d\nmovl %eax, %eax\nret\n"
        "2:\n.irp n,0,1,2,3,4,5,6,7\nkxorw %k\\n, %k\\n, %k\\n\n.endr\n"
        "cmpb $3, " JM_LEVEL_ "(%rip)\n"
        "je 6f\n"
        ".irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "vpxord %xmm\\n, %xmm\\n, %xmm\\n\n.endr\n"
        "jmp 1b\n"
        "6:\n.irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "vpxord %zmm\\n, %zmm\\n, %zmm\\n\n.endr\n"
        "jmp 1b\n"
        "4:\n.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\npxor %xmm\\n, %xmm\\n\n.endr\n"
        "5:\nmovups %xmm0, -16(%rsp,%rcx)\nmovups %xmm0, -32(%rsp,%rcx)\n"
        "movups %xmm0, -48(%rsp,%rcx)\nmovups %xmm0, -64(%rsp,%rcx)\n"
        "subq $64, %rcx\njnz 5b\njmp 3b\n");
#elif defined(__i386__)
/* Code of 32 bits has eight vectors. */
__asm__(JM_BEGIN_ "movl %esp, %edx\n"
                  "subl %ecx, %esp\n"
                  "1:\nmovl $0, -4(%esp,%ecx)\nmovl $0, -8(%esp,%ecx)\n"
                  "subl $8, %ecx\njnz 1b\n"
                  "movl %edx, %esp\n"
                  "call 9f\n"
                  "9:\npopl %ecx\n"
                  "movzbl " JM_LEVEL_ " - 9b(%ecx), %edx\n"
                  "xorl %ecx, %ecx\n"
                  "cmpl $255, %edx\nje 4f\n"
                  "testl %edx, %edx\nje 3f\n"
                  "cmpl $1, %edx\nje 2f\n"
                  ".irp n,0,1,2,3,4,5,6,7\nkxorw %k\\n, %k\\n, %k\\n\n.endr\n"
                  "2:\n.irp n,0,1,2,3,4,5,6,7\nvpxor %xmm\\n, %xmm\\n, %xmm\\n\n.endr\njmp 4f\n"
                  "3:\n.irp n,0,1,2,3,4,5,6,7\npxor %xmm\\n, %xmm\\n\n.endr\n"
                  "4:\nxorl %edx, %edx\nret\n");
#elif defined(__aarch64__)
/* Of v8 to v15 a function keeps the low 64 bits (AAPCS64, section 6.1.2); writing these clears the
 * bits above, in vectors of SVE too. x18 belongs to the platform. */
__asm__(JM_BEGIN_ ".irp n,0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
                  "movi v\\n\\().2d, #0\n.endr\n"
                  ".irp n,8,9,10,11,12,13,14,15\nfmov d\\n, d\\n\n.endr\n"
#if defined(__ARM_FEATURE_SVE)
                  ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\npfalse p\\n\\().b\n.endr\n"
#endif
                  "mov x2, sp\nsub sp, sp, x1\nmov x3, sp\n"
                  "1:\nstp q0, q1, [x3], #32\nstp q0, q1, [x3], #32\n"
                  "cmp x3, x2\nb.ne 1b\nmov sp, x2\n"
                  ".irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\nmov x\\n, xzr\n.endr\n"
                  "mov w0, w0\nret\n");
#elif defined(__riscv)
__asm__(JM_BEGIN_ "mv t1, sp\nsub sp, sp, t0\nmv t0, sp\n"
                  "1:\nsd zero, 0(t0)\nsd zero, 8(t0)\nsd zero, 16(t0)\nsd zero, 24(t0)\n"
                  "addi t0, t0, 32\nbne t0, t1, 1b\nmv sp, t1\n"
#if defined(__riscv_flen)
                  ".irp r,ft0,ft1,ft2,ft3,ft4,ft5,ft6,ft7,ft8,ft9,ft10,ft11\n"
                  "fmv.d.x \\r, zero\n.endr\n"
                  ".irp r,fa0,fa1,fa2,fa3,fa4,fa5,fa6,fa7\nfmv.d.x \\r, zero\n.endr\n"
#endif
#if defined(__riscv_vector)
                  "vsetvli t0, zero, e8, m8, ta, ma\n"
                  "vmv.v.i v0, 0\nvmv.v.i v8, 0\nvmv.v.i v16, 0\nvmv.v.i v24, 0\n"
#endif
                  ".irp r,t0,t1,t2,t3,t4,t5,t6,a1,a2,a3,a4,a5,a6,a7\nli \\r, 0\n.endr\n"
                  "sext.w a0, a0\nret\n");
#elif defined(__s390x__)
/* A function stores its caller's registers in the 160 bytes above its own frame, which belong to
 * the caller's frame. Callers of inner halves have no secret in these registers. */
__asm__(JM_BEGIN_ "lgr %r3, %r15\nsgr %r15, %r1\nlgr %r1, %r15\n"
                  "1:\nxc 0(64,%r1), 0(%r1)\nla %r1, 64(%r1)\ncgr %r1, %r3\njne 1b\n"
                  "lgr %r15, %r3\n"
                  ".irp n,0,1,2,3,4,5,6,7\nlzdr %f\\n\n.endr\n"
#if defined(__VX__)
                  ".irp n,0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
                  "vzero %v\\n\n.endr\n"
#endif
                  ".irp n,0,1,3,4,5\nlghi %r\\n, 0\n.endr\n"
                  "lgfr %r2, %r2\nbr %r14\n");
#elif defined(__arm__)
__asm__(".syntax unified\n"
#if defined(__thumb__)
        ".thumb\n.thumb_func\n"
#endif
        JM_BEGIN_ "mov r12, sp\nsub sp, sp, r3\nmov r3, sp\nmov r1, #0\nmov r2, #0\n"
        "1:\nstmia r3!, {r1, r2}\nstmia r3!, {r1, r2}\ncmp r3, r12\nbne 1b\n"
        "mov sp, r12\nmov r3, #0\nmov r12, #0\n"
#if defined(__ARM_FP)
        ".irp n,0,1,2,3,4,5,6,7\nvmov d\\n, r1, r1\n.endr\n"
#endif
#if defined(__ARM_NEON)
        ".irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\nvmov d\\n, r1, r1\n.endr\n"
#endif
        "bx lr\n");
#endif

#else
typedef int jm_no_machine_is_known; /* C wants a declaration in each file */
#endif
