/* SPDX-License-Identifier: Apache-2.0
 *
 * A program in place of the bench: it takes messages under several keys, and writes what each call
 * left in the registers that a function may change and on the dead stack. The simulator notes the
 * core cycles. The remains and the core cycles must be the same for every key and message;
 * test_left_behind_on_targets.py compares. Calls go through jm_call, in assembly, so that no other
 * instruction comes between a call and the reading of the registers.
 *
 * The answer: the claim of constant time, 1 or 0; the lengths in bytes of key, tag, and the
 * registers after a call; for each turn the remains of the key set-up, then for each length the
 * remains of the tag, and the tag; then for the last message once more, as a stream: the remains of
 * its begin, two updates and its finish, the tag, and the number of bytes of the stream's memory
 * that are not 0; last the remains of wiping the key, and the number of bytes of its state that are
 * not 0. Remains are the status, the registers, the number of bytes of stack below the call that
 * lost their paint, with 16 bits and the low byte first, and these bytes. */
#include "port.h"

#include "joulemark/kernel.h"

extern const jm_implementation JM_BENCH_SUBJECT;
#define SUBJECT (&JM_BENCH_SUBJECT)

static const uint16_t lengths[] = {JM_BENCH_LENGTHS};
/* GAP_BYTES: the code that reads the stack after a call has its frames there, not in the call's. */
enum { LENGTHS = sizeof lengths / sizeof *lengths, TURNS = 8, PAINTED_BYTES = 1536, PAINT = 0xc5 };
enum { GUARD_BYTES = 16, GAP_BYTES = 128 };
typedef uintptr_t __attribute__((may_alias)) word;
enum { WORD = sizeof(word) };
#define PAINTED_WORD (~(word)0 / 0xff * PAINT)
/* Marks beside those of the bench. FIRST_BYTES are the stream's first update: less than a block of
 * any MAC. */
enum { MARK_BEGIN = 7, MARK_UPDATE = 9, MARK_FINISH = 11, MARK_WIPE = 13, FIRST_BYTES = 3 };

/* For jm_call: five arguments and the function; the stack pointer before; the registers after. */
uintptr_t jm_arguments[6], jm_stack;
int jm_call(void);

#if defined(__AVR__)
enum { REGISTER_BYTES = 14, BELOW_POINTER = 1 }; /* the last are the flags */
__asm__(".text\n.global jm_call\njm_call:\n\t"
        "push r16\n\tpush r17\n\t"
        "in r30, __SP_L__\n\tin r31, __SP_H__\n\tsts jm_stack, r30\n\tsts jm_stack+1, r31\n\t"
        ".irp n,0,2,4,6,8\n\t"
        "lds 24-\\n, jm_arguments+\\n\n\tlds 25-\\n, jm_arguments+\\n+1\n\t.endr\n\t"
        "lds r30, jm_arguments+10\n\tlds r31, jm_arguments+11\n\ticall\n\t"
        "sts jm_registers, r24\n\tsts jm_registers+1, r25\n\tsts jm_registers+2, r0\n\t"
        ".irp n,18,19,20,21,22,23\n\tsts jm_registers+\\n-15, r\\n\n\t.endr\n\t"
        ".irp n,26,27\n\tsts jm_registers+\\n-17, r\\n\n\t.endr\n\t"
        ".irp n,30,31\n\tsts jm_registers+\\n-19, r\\n\n\t.endr\n\t"
        "in r18, __SREG__\n\tsts jm_registers+13, r18\n\t"
        "pop r17\n\tpop r16\n\tret\n");
#elif defined(__arm__)
enum { REGISTER_BYTES = 24, BELOW_POINTER = 0 };
__asm__(".text\n\t.syntax unified\n\t.thumb\n\t.balign 4\n\t.global jm_call\n\t"
        ".type jm_call, %function\n\t.thumb_func\njm_call:\n\t"
        "push {r4, lr}\n\tsub sp, #8\n\tldr r4, =jm_arguments\n\t"
        "ldr r0, [r4, #16]\n\tstr r0, [sp]\n\tmov r0, sp\n\tldr r1, =jm_stack\n\tstr r0, [r1]\n\t"
        "ldr r0, [r4]\n\tldr r1, [r4, #4]\n\tldr r2, [r4, #8]\n\tldr r3, [r4, #12]\n\t"
        "ldr r4, [r4, #20]\n\tblx r4\n\t"
        "ldr r4, =jm_registers\n\tstm r4!, {r0, r1, r2, r3}\n\t"
        "mov r1, r12\n\tmov r2, lr\n\tstr r1, [r4]\n\tstr r2, [r4, #4]\n\t"
        "add sp, #8\n\tpop {r4, pc}\n\t.pool\n");
#elif defined(__riscv)
enum { REGISTER_BYTES = 64, BELOW_POINTER = 0 };
__asm__(".text\n.global jm_call\njm_call:\n\t"
        "addi sp, sp, -16\n\tsw ra, 12(sp)\n\tsw s0, 8(sp)\n\tla t0, jm_stack\n\tsw sp, 0(t0)\n\t"
        "la s0, jm_arguments\n\tlw t0, 20(s0)\n\t"
        ".irp n,0,1,2,3,4\n\tlw a\\n, 4*\\n(s0)\n\t.endr\n\t"
        "la s0, jm_registers\n\tjalr t0\n\tsw ra, 60(s0)\n\t"
        ".irp n,0,1,2,3,4,5,6,7\n\tsw a\\n, 4*\\n(s0)\n\t.endr\n\t"
        ".irp n,0,1,2,3,4,5,6\n\tsw t\\n, 32+4*\\n(s0)\n\t.endr\n\t"
        "lw s0, 8(sp)\n\tlw ra, 12(sp)\n\taddi sp, sp, 16\n\tret\n");
#else /* MSP430 */
enum { REGISTER_BYTES = 10, BELOW_POINTER = 0 };
__asm__(".text\n.global jm_call\njm_call:\n\t"
        "push r10\n\tmov &jm_arguments+8, r15\n\tpush r15\n\tmov r1, &jm_stack\n\t"
        "mov &jm_arguments, r12\n\tmov &jm_arguments+2, r13\n\tmov &jm_arguments+4, r14\n\t"
        "mov &jm_arguments+6, r15\n\tmov &jm_arguments+10, r10\n\tcall r10\n\t"
        "mov r12, &jm_registers\n\tmov r13, &jm_registers+2\n\tmov r14, &jm_registers+4\n\t"
        "mov r15, &jm_registers+6\n\tmov r11, &jm_registers+8\n\tadd #2, r1\n\tpop r10\n\tret\n");
#endif
_Alignas(4) uint8_t jm_registers[REGISTER_BYTES];

/* Nothing below keeps anything of a key in a register across a call, which would put it into
 * frames: so these are in memory. */
static volatile uint8_t turn;
static uint32_t random_word;
static uint8_t *state, *stream, *message, *painted_from;
static uint8_t tag[JM_OUTPUT_BYTES_MAX];

/* The bytes of keys and messages: zeros, then ones, then those of a generator. */
static __attribute__((noinline)) void fill(uint8_t *to, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        random_word = random_word * UINT32_C(1664525) + UINT32_C(1013904223);
        to[i] = turn == 0 ? 0 : turn == 1 ? 0xff : (uint8_t)(random_word >> 24);
    }
}

static __attribute__((noinline)) void paint(void) {
    const uintptr_t end = jm_port_stack() - GUARD_BYTES;
    uint8_t *at = painted_from = (uint8_t *)((end - PAINTED_BYTES) & ~(uintptr_t)(WORD - 1));
    for (; (uintptr_t)at + WORD <= end; at += WORD) *(volatile word *)at = PAINTED_WORD;
    for (; (uintptr_t)at < end; at++) *(volatile uint8_t *)at = PAINT;
}

/* So called because simulators look for marks in functions of this name. */
static __attribute__((noinline)) int work_on(uint8_t number) {
    volatile uint8_t gap[GAP_BYTES];
    gap[0] = 0;
    jm_port_mark(number);
    const int status = jm_call();
    jm_port_mark((uint8_t)(number + 1));
    return status;
}

static __attribute__((noinline)) void put_left(int status) {
    const volatile uint8_t *at = painted_from, *const end = (uint8_t *)(jm_stack + BELOW_POINTER);
    while (at + WORD <= end && *(const volatile word *)at == PAINTED_WORD) at += WORD;
    while (at < end && *at == PAINT) at++;
    const size_t count = (size_t)(end - at);
    jm_port_put((uint8_t)status);
    for (size_t i = 0; i < REGISTER_BYTES; i++) jm_port_put(jm_registers[i]);
    jm_port_put((uint8_t)count);
    jm_port_put((uint8_t)(count >> 8));
    for (; at < end; at++) jm_port_put(*at);
}

/* `called` is a function whose first argument is the implementation. */
static __attribute__((noinline)) void call(uint8_t number, uintptr_t called, const void *one,
                                           const void *two, uintptr_t three, const void *four) {
    jm_arguments[0] = (uintptr_t)SUBJECT, jm_arguments[1] = (uintptr_t)one;
    jm_arguments[2] = (uintptr_t)two, jm_arguments[3] = three, jm_arguments[4] = (uintptr_t)four;
    jm_arguments[5] = called;
    paint();
    put_left(work_on(number));
}

static __attribute__((noinline)) void put_tag(void) {
    for (size_t i = 0; i < SUBJECT->output_bytes; i++) jm_port_put(tag[i]);
}

/* Counts at most 255 such bytes. */
static __attribute__((noinline)) void put_not_wiped(const volatile uint8_t *at, size_t bytes) {
    uint8_t count = 0;
    for (; bytes; bytes--, at++) count = (uint8_t)(count + (*at != 0 && count < 255));
    jm_port_put(count);
}

static __attribute__((noinline)) void call_set_key(void) {
    fill(message, SUBJECT->key_bytes);
    call(JM_MARK_KEY, (uintptr_t)SUBJECT->mac->set_key, state, message, SUBJECT->key_bytes, 0);
}

static __attribute__((noinline)) void call_tag(size_t bytes) {
    fill(message, bytes);
    call(JM_MARK_MESSAGE, (uintptr_t)SUBJECT->mac->tag, state, message, bytes, tag);
    put_tag();
}

static __attribute__((noinline)) void call_stream(size_t bytes) {
    const jm_mac_functions *const mac = SUBJECT->mac;
    call(MARK_BEGIN, (uintptr_t)mac->stream_begin, stream, state, 0, 0);
    call(MARK_UPDATE, (uintptr_t)mac->stream_update, stream, message, FIRST_BYTES, 0);
    call(MARK_UPDATE, (uintptr_t)mac->stream_update, stream, message + FIRST_BYTES,
         bytes - FIRST_BYTES, 0);
    call(MARK_FINISH, (uintptr_t)mac->stream_finish, stream, tag, 0, 0);
    put_tag();
    put_not_wiped(stream, mac->stream_bytes);
}

/* For a function without a status, the status is the value of its register. */
static __attribute__((noinline)) void call_wipe_key(void) {
    call(MARK_WIPE, (uintptr_t)SUBJECT->mac->wipe_key, state, 0, 0, 0);
    put_not_wiped(state, SUBJECT->mac->key_state_bytes);
}

/* A symbol that the reader of a program's sizes expects. */
const uint16_t jm_bench_offsets[1] = {0};

int main(void) {
    const uintptr_t align = JM_STATE_ALIGN - 1;
    state = (uint8_t *)(((uintptr_t)jm_port_free_ram() + align) & ~align);
    stream = state + ((SUBJECT->mac->key_state_bytes + align) & ~(size_t)align);
    message = stream + SUBJECT->mac->stream_bytes;
    jm_port_put(SUBJECT->constant_time);
    jm_port_put((uint8_t)SUBJECT->key_bytes);
    jm_port_put((uint8_t)SUBJECT->output_bytes);
    jm_port_put(REGISTER_BYTES);
    for (turn = 0; turn < TURNS; turn++) {
        call_set_key();
        for (uint8_t i = 0; i < LENGTHS; i++) call_tag(lengths[i]);
        call_stream(lengths[LENGTHS - 1]);
        call_wipe_key();
    }
    jm_port_end();
    return 0;
}
