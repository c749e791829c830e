/* SPDX-License-Identifier: Apache-2.0
 * See capture.h. Written in assembly, since compiled code would change the registers and the stack
 * that the test reads. */
#include "capture.h"

#include "joulemark/cpu.h"

#if defined(__x86_64__)
_Static_assert(offsetof(registers, width) == 72 && offsetof(registers, mask) == 80 &&
                   offsetof(registers, vector) == 144,
               "as the assembly has it");

__asm__(".text\n.globl call_and_capture\n.type call_and_capture, @function\ncall_and_capture:\n"
        "pushq %rbx\npushq %rbp\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rcx, %rbx\nmovq %rsp, %rbp\nmovq %rdi, %rax\nmovq %rsi, %r10\nmovq %rdx, %rsp\n"
        "movq (%r10), %rdi\nmovq 8(%r10), %rsi\nmovq 16(%r10), %rdx\nmovq 24(%r10), %rcx\n"
        "movq 32(%r10), %r8\nmovq 40(%r10), %r9\n"
        "cmpq $64, 72(%rbx)\nje 5f\ncmpq $32, 72(%rbx)\nje 4f\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\npxor %xmm\\n, %xmm\\n\n.endr\njmp 6f\n"
        "4:\nvzeroall\njmp 6f\n"
        "5:\nvzeroall\n"
        ".irp n,0,1,2,3,4,5,6,7\nkxorw %k\\n, %k\\n, %k\\n\n.endr\n"
        ".irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "vpxord %zmm\\n, %zmm\\n, %zmm\\n\n.endr\n"
        "6:\ncall *%rax\n"
        "movq %rax, (%rbx)\nmovq %rcx, 8(%rbx)\nmovq %rdx, 16(%rbx)\nmovq %rsi, 24(%rbx)\n"
        "movq %rdi, 32(%rbx)\nmovq %r8, 40(%rbx)\nmovq %r9, 48(%rbx)\nmovq %r10, 56(%rbx)\n"
        "movq %r11, 64(%rbx)\n"
        "cmpq $64, 72(%rbx)\nje 2f\ncmpq $32, 72(%rbx)\nje 1f\n"
        ".set at, 144\n.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "movups %xmm\\n, at(%rbx)\n.set at, at + 64\n.endr\njmp 3f\n"
        "1:\n.set at, 144\n.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "vmovups %ymm\\n, at(%rbx)\n.set at, at + 64\n.endr\njmp 3f\n"
        "2:\n.set at, 80\n.irp n,0,1,2,3,4,5,6,7\n"
        "kmovq %k\\n, at(%rbx)\n.set at, at + 8\n.endr\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,"
        "31\n"
        "vmovups %zmm\\n, at(%rbx)\n.set at, at + 64\n.endr\n"
        "3:\nmovq %rbp, %rsp\npopq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\n"
        "cld\nret\n.size call_and_capture, . - call_and_capture\n");

uint64_t vector_bytes(void) {
    const uint32_t features = jm_cpu_features();
    return features & JM_CPU_AVX512 ? 64 : features & JM_CPU_AVX2 ? 32 : 16;
}
#endif
