// SPDX-License-Identifier: Apache-2.0
#include "guarded.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE_BYTES 64u

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool jm_guarded_open(jm_guarded *memory, size_t bytes) {
    const size_t page = page_bytes(), usable = (bytes + page - 1) / page * page;
    uint8_t *all = mmap(NULL, usable + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return false;
    memory->first = all + page;
    memory->end = memory->first + usable;
    memory->sealed = false;
    if (mprotect(memory->first, usable, PROT_READ | PROT_WRITE) == 0) return true;
    jm_guarded_close(memory);
    return false;
}

void jm_guarded_close(jm_guarded *memory) {
    const size_t page = page_bytes();
    if (!memory->first) return;
    munmap(memory->first - page, (size_t)(memory->end - memory->first) + 2 * page);
    memory->first = memory->end = NULL;
}

uint8_t *jm_guarded_place(const jm_guarded *memory, size_t bytes, size_t at) {
    if (at == JM_AT_END) return memory->end - bytes;
    uint8_t *last = memory->end - LINE_BYTES - bytes;
    return last - ((uintptr_t)last - at) % LINE_BYTES;
}

static bool allow(jm_guarded *memory, int access) {
    return mprotect(memory->first, (size_t)(memory->end - memory->first), access) == 0;
}

void jm_guarded_seal(jm_guarded *memory) {
    memory->sealed = allow(memory, PROT_READ);
}

void jm_guarded_unseal(jm_guarded *memory) {
    if (memory->sealed) memory->sealed = !allow(memory, PROT_READ | PROT_WRITE);
}

bool jm_guarded_touched(const jm_guarded *memory, const void *address) {
    const uint8_t *at = address;
    const size_t page = page_bytes();
    if (memory->sealed && at >= memory->first && at < memory->end) return true;
    return (at >= memory->first - page && at < memory->first) ||
           (at >= memory->end && at < memory->end + page);
}

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM};
#define SIGNALS (sizeof signals / sizeof *signals)

static struct {
    const jm_guarded *memories;
    size_t count;
    const jm_case *current;
    struct sigaction before[SIGNALS];
    stack_t stack_before;
    const void *volatile touched;
    sigjmp_buf back;
} watch;

/* 1 while jm_watched runs a call in this thread, which may be left. */
static _Thread_local volatile sig_atomic_t inside;

/* The handler has a separate stack, so that it can report a stack overflow too. */
static uint8_t handler_stack[1 << 16];

static void on_signal(int number, siginfo_t *info, void *context) {
    static char text[16 + JM_CASE_TEXT_BYTES] = "\nwhile checked: ";
    (void)context;
    if (inside && (number == SIGSEGV || number == SIGBUS))
        for (size_t i = 0; i < watch.count; i++)
            if (jm_guarded_touched(&watch.memories[i], info->si_addr)) {
                watch.touched = info->si_addr;
                inside = 0;
                siglongjmp(watch.back, 1);
            }
    jm_case_text(watch.current, text + 16);
    size_t bytes = 0;
    while (text[bytes]) bytes++;
    if (write(STDERR_FILENO, text, bytes) < 0) bytes = 0;
    signal(number, SIG_DFL);
    raise(number);
}

void jm_watch_begin(const jm_guarded *memories, size_t count, const jm_case *current) {
    const stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    watch.memories = memories;
    watch.count = count;
    watch.current = current;
    sigaltstack(&stack, &watch.stack_before);
    for (size_t i = 0; i < SIGNALS; i++) sigaction(signals[i], &action, &watch.before[i]);
}

void jm_watch_end(void) {
    for (size_t i = 0; i < SIGNALS; i++) sigaction(signals[i], &watch.before[i], NULL);
    /* Where there was none before, ours stays: a runtime may have taken it for its own signals. */
    if (!(watch.stack_before.ss_flags & SS_DISABLE)) sigaltstack(&watch.stack_before, NULL);
}

const void *jm_watched(void (*call)(void *), void *argument) {
    watch.touched = NULL;
    /* The signal mask need not be saved: handlers run with SA_NODEFER and block no signal. */
    if (sigsetjmp(watch.back, 0) == 0) {
        inside = 1;
        call(argument);
        inside = 0;
    }
    return watch.touched;
}
