/* SPDX-License-Identifier: Apache-2.0
 * See capture.h. Written in assembly, since compiled code would change the registers and the stack
 * that the test reads. */
#include "capture.h"

#include "joulemark/kernel.h"

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
#else
uint64_t vector_bytes(void) {
#if defined(__aarch64__) || defined(__i386__)
    return 16;
#else
    return 8;
#endif
}
#endif

#if defined(__aarch64__)
_Static_assert(offsetof(registers, vector) == 224, "as the assembly has it");

__asm__(".text\n.globl call_and_capture\n.type call_and_capture, %function\ncall_and_capture:\n"
        "stp x29, x30, [sp, #-176]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "stp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\n"
        "stp d14, d15, [sp, #144]\n"
        "mov x19, x3\nmov x20, sp\nmov x16, x0\nmov x17, x1\nmov sp, x2\n"
        "ldp x0, x1, [x17]\nldp x2, x3, [x17, #16]\nldp x4, x5, [x17, #32]\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
        "30,31\nmovi v\\n\\().2d, #0\n.endr\n"
        ".irp n,6,7,8,9,10,11,12,13,14,15,17,18\nmov x\\n, xzr\n.endr\n"
        "blr x16\n"
        "stp x0, x1, [x19]\nstp x2, x3, [x19, #16]\nstp x4, x5, [x19, #32]\n"
        "stp x6, x7, [x19, #48]\nstp x8, x9, [x19, #64]\nstp x10, x11, [x19, #80]\n"
        "stp x12, x13, [x19, #96]\nstp x14, x15, [x19, #112]\nstp x16, x17, [x19, #128]\n"
        "str x18, [x19, #144]\nadd x9, x19, #224\n"
        ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
        "30,31\nstr q\\n, [x9], #64\n.endr\n"
        "mov sp, x20\nldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\n"
        "ldp x23, x24, [sp, #48]\nldp x25, x26, [sp, #64]\nldp x27, x28, [sp, #80]\n"
        "ldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\nldp x29, x30, [sp], #176\nret\n"
        ".size call_and_capture, . - call_and_capture\n");
#elif defined(__riscv) && defined(JM_CAPTURED)
_Static_assert(offsetof(registers, vector) == 192, "as the assembly has it");

__asm__(".text\n.globl call_and_capture\n.type call_and_capture, @function\ncall_and_capture:\n"
        "addi sp, sp, -208\nsd ra, 0(sp)\n"
        ".set at, 8\n.irp r,s0,s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11\nsd \\r, at(sp)\n"
        ".set at, at + 8\n.endr\n"
        ".irp r,fs0,fs1,fs2,fs3,fs4,fs5,fs6,fs7,fs8,fs9,fs10,fs11\nfsd \\r, at(sp)\n"
        ".set at, at + 8\n.endr\n"
        "mv s0, a3\nmv s1, sp\nmv t0, a0\nmv t1, a1\nmv sp, a2\n"
        "ld a0, 0(t1)\nld a1, 8(t1)\nld a2, 16(t1)\nld a3, 24(t1)\nld a4, 32(t1)\nld a5, 40(t1)\n"
        ".irp r,ft0,ft1,ft2,ft3,ft4,ft5,ft6,ft7,ft8,ft9,ft10,ft11\nfmv.d.x \\r, zero\n.endr\n"
        ".irp r,fa0,fa1,fa2,fa3,fa4,fa5,fa6,fa7\nfmv.d.x \\r, zero\n.endr\n"
        ".irp r,a6,a7,t1,t2,t3,t4,t5,t6\nli \\r, 0\n.endr\n"
        "jalr t0\n"
        ".set at, 0\n.irp r,a0,a1,a2,a3,a4,a5,a6,a7,t0,t1,t2,t3,t4,t5,t6\nsd \\r, at(s0)\n"
        ".set at, at + 8\n.endr\n"
        ".set at, 192\n.irp r,ft0,ft1,ft2,ft3,ft4,ft5,ft6,ft7,ft8,ft9,ft10,ft11,fa0,fa1,fa2,fa3,"
        "fa4,fa5,fa6,fa7\nfsd \\r, at(s0)\n.set at, at + 64\n.endr\n"
        "mv sp, s1\nld ra, 0(sp)\n"
        ".set at, 8\n.irp r,s0,s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11\nld \\r, at(sp)\n"
        ".set at, at + 8\n.endr\n"
        ".irp r,fs0,fs1,fs2,fs3,fs4,fs5,fs6,fs7,fs8,fs9,fs10,fs11\nfld \\r, at(sp)\n"
        ".set at, at + 8\n.endr\n"
        "addi sp, sp, 208\nret\n.size call_and_capture, . - call_and_capture\n");
#elif defined(__s390x__)
_Static_assert(offsetof(registers, vector) == 120, "as the assembly has it");

/* The sixth argument is on the stack, above the 160 bytes in which the function saves registers. */
__asm__(".text\n.globl call_and_capture\n.type call_and_capture, @function\ncall_and_capture:\n"
        "stmg %r6, %r15, 48(%r15)\naghi %r15, -224\n"
        "std %f8, 160(%r15)\nstd %f9, 168(%r15)\nstd %f10, 176(%r15)\nstd %f11, 184(%r15)\n"
        "std %f12, 192(%r15)\nstd %f13, 200(%r15)\nstd %f14, 208(%r15)\nstd %f15, 216(%r15)\n"
        "lgr %r7, %r5\nlgr %r8, %r15\nlgr %r1, %r2\nlgr %r9, %r3\nlgr %r15, %r4\n"
        "aghi %r15, -176\nmvc 160(8, %r15), 40(%r9)\n"
        "lg %r2, 0(%r9)\nlg %r3, 8(%r9)\nlg %r4, 16(%r9)\nlg %r5, 24(%r9)\nlg %r6, 32(%r9)\n"
        ".irp n,0,1,2,3,4,5,6,7\nlzdr %f\\n\n.endr\n"
        "basr %r14, %r1\n"
        "stmg %r0, %r5, 0(%r7)\n"
        ".set at, 120\n.irp n,0,1,2,3,4,5,6,7\nstd %f\\n, at(%r7)\n.set at, at + 64\n.endr\n"
        "lgr %r15, %r8\n"
        "ld %f8, 160(%r15)\nld %f9, 168(%r15)\nld %f10, 176(%r15)\nld %f11, 184(%r15)\n"
        "ld %f12, 192(%r15)\nld %f13, 200(%r15)\nld %f14, 208(%r15)\nld %f15, 216(%r15)\n"
        "aghi %r15, 224\nlmg %r6, %r15, 48(%r15)\nbr %r14\n"
        ".size call_and_capture, . - call_and_capture\n");
#elif defined(__i386__)
_Static_assert(offsetof(registers, vector) == 96, "as the assembly has it");

/* All arguments are words on the stack. Upper parts of wider vectors are not read. */
__asm__(".text\n.globl call_and_capture\n.type call_and_capture, @function\ncall_and_capture:\n"
        "pushl %ebp\npushl %ebx\npushl %esi\npushl %edi\n"
        "movl 20(%esp), %eax\nmovl 24(%esp), %ecx\nmovl 28(%esp), %edx\nmovl 32(%esp), %ebx\n"
        "movl %esp, %ebp\nleal -32(%edx), %esp\n"
        ".irp n,0,1,2,3,4,5\nmovl 8*\\n(%ecx), %edx\nmovl %edx, 4*\\n(%esp)\n.endr\n"
        ".irp n,0,1,2,3,4,5,6,7\npxor %xmm\\n, %xmm\\n\n.endr\n"
        "call *%eax\n"
        "movl %eax, (%ebx)\nmovl %ecx, 8(%ebx)\nmovl %edx, 16(%ebx)\n"
        ".irp n,0,1,2,3,4,5,6,7\nmovups %xmm\\n, 96+64*\\n(%ebx)\n.endr\n"
        "movl %ebp, %esp\npopl %edi\npopl %esi\npopl %ebx\npopl %ebp\ncld\nret\n"
        ".size call_and_capture, . - call_and_capture\n");
#elif defined(__arm__) && defined(JM_CAPTURED)
_Static_assert(offsetof(registers, vector) == 112, "as the assembly has it");

__asm__(".syntax unified\n.text\n.balign 4\n.globl call_and_capture\n"
        ".type call_and_capture, %function\n"
#if defined(__thumb__)
        ".thumb\n.thumb_func\n"
#endif
        "call_and_capture:\n"
        "push {r4-r11, lr}\nvpush {d8-d15}\n"
        "mov r4, r3\nmov r5, sp\nmov r12, r0\nmov r6, r1\nmov sp, r2\nsub sp, sp, #16\n"
        "ldr r0, [r6, #32]\nstr r0, [sp]\nldr r0, [r6, #40]\nstr r0, [sp, #4]\n"
        "ldr r0, [r6]\nldr r1, [r6, #8]\nldr r2, [r6, #16]\nldr r3, [r6, #24]\nmov r7, #0\n"
        ".irp n,0,1,2,3,4,5,6,7\nvmov d\\n, r7, r7\n.endr\n"
        "blx r12\n"
        "str r0, [r4]\nstr r1, [r4, #8]\nstr r2, [r4, #16]\nstr r3, [r4, #24]\n"
        "str r12, [r4, #32]\n"
        ".irp n,0,1,2,3,4,5,6,7\nvstr d\\n, [r4, #112+64*\\n]\n.endr\n"
        "mov sp, r5\nvpop {d8-d15}\npop {r4-r11, pc}\n"
        ".size call_and_capture, . - call_and_capture\n");
#elif !defined(JM_CAPTURED)
uint64_t call_and_capture(const void *function, const uint64_t argument[6], void *stack_top,
                          registers *left) {
    (void)function, (void)argument, (void)stack_top, (void)left;
    return 0;
}
#endif
