// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "written_statics.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#define PIECES_MAX 8u
#define MOST_BYTES 1048576u /* of a plugin's static memory: a look then takes 50 microseconds */
#define SEEN_MOST 8192u     /* changed bytes that are compared after each instruction */

static struct {
    uintptr_t inside; /* an address in the object that is looked for */
    size_t pieces, bytes;
    struct {
        uint8_t *at;
        size_t bytes;
    } piece[PIECES_MAX];
    uint8_t *kept; /* contents of the pieces, one after the other */
    uint8_t *held; /* the same, of jm_statics_hold */
    const uint8_t *loaded;
    bool change;
    uint8_t *first, *end; /* of the changed bytes, within one piece */
    uint8_t seen[SEEN_MOST];
    struct {
        const uint8_t *first, *end;
    } stopped[JM_STATICS_KINDS]; /* from the first to the last byte */
} statics;

/* Contents of objects as they were loaded. */
typedef struct loaded {
    struct loaded *next;
    const void *object;
    size_t bytes;
    uint8_t contents[];
} loaded;
static loaded *all_loaded;

static void add_piece(uint8_t *at, size_t bytes) {
    if (statics.pieces == PIECES_MAX || !bytes) return;
    statics.piece[statics.pieces].at = at;
    statics.piece[statics.pieces++].bytes = bytes;
    statics.bytes += bytes;
}

/* The part of the memory that stays writable: relocated constants, at its beginning, do not. */
static int visit(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    bool has = false;
    uintptr_t constant_end = 0;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t first = info->dlpi_addr + part->p_vaddr, end = first + part->p_memsz;
        has |= part->p_type == PT_LOAD && statics.inside >= first && statics.inside < end;
        if (part->p_type == PT_GNU_RELRO) constant_end = end;
    }
    for (size_t i = 0; has && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;
        const uintptr_t end = first + part->p_memsz;
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W)) continue;
        if (constant_end > first && constant_end < end) first = constant_end;
        add_piece((uint8_t *)first, end - first);
    }
    return has;
}

static const void *object_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* An address in the object that has the implementation's functions. */
static const void *function_of(const jm_implementation *self) {
    const void *function = NULL;
    /* A pointer to a function as one to bytes, which POSIX allows and ISO C does not. */
    if (self->kind == JM_KIND_HASH) memcpy(&function, &self->hash->digest, sizeof function);
    if (self->kind == JM_KIND_MAC) memcpy(&function, &self->mac->tag, sizeof function);
    if (self->kind == JM_KIND_CIPHER) memcpy(&function, &self->cipher->encrypt, sizeof function);
    return function;
}

static bool find_pieces(const void *function) {
    memset(&statics, 0, sizeof statics);
    if (object_of(function) == object_of(&statics)) return false;
    statics.inside = (uintptr_t)function;
    dl_iterate_phdr(visit, NULL);
    return statics.bytes && statics.bytes <= MOST_BYTES;
}

static void copy_out(uint8_t *to) {
    for (size_t i = 0; i < statics.pieces; to += statics.piece[i++].bytes)
        memcpy(to, statics.piece[i].at, statics.piece[i].bytes);
}

static void copy_in(const uint8_t *from) {
    for (size_t i = 0; i < statics.pieces; from += statics.piece[i++].bytes)
        memcpy(statics.piece[i].at, from, statics.piece[i].bytes);
}

static const loaded *loaded_of(const void *object) {
    const loaded *found = all_loaded;
    while (found && found->object != object) found = found->next;
    return found;
}

void jm_statics_remember(const void *function) {
    const void *object = object_of(function);
    if (!object || loaded_of(object) || !find_pieces(function)) return;
    loaded *more = malloc(sizeof *more + statics.bytes);
    if (!more) return;
    more->object = object;
    more->bytes = statics.bytes;
    copy_out(more->contents);
    more->next = all_loaded;
    all_loaded = more;
}

void jm_statics_forget(const void *function) {
    const void *object = object_of(function);
    loaded **place = &all_loaded;
    while (*place && (*place)->object != object) place = &(*place)->next;
    loaded *const gone = *place;
    if (!gone) return;
    *place = gone->next;
    free(gone);
}

bool jm_statics_open(const jm_implementation *self) {
    const void *function = function_of(self);
    if (!find_pieces(function)) return false;
    const loaded *found = loaded_of(object_of(function));
    if (found && found->bytes == statics.bytes) statics.loaded = found->contents;
    statics.kept = malloc(statics.bytes);
    return statics.kept != NULL;
}

void jm_statics_close(void) {
    free(statics.kept);
    free(statics.held);
    statics.kept = statics.held = NULL;
}

/* Threads of this process; 0 if the system does not tell. */
static size_t threads(void) {
    size_t found = 0;
    DIR *const tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    for (const struct dirent *entry = readdir(tasks); entry; entry = readdir(tasks))
        found += entry->d_name[0] != '.';
    closedir(tasks);
    return found;
}

bool jm_statics_hold(size_t own_threads) {
    if (threads() != own_threads) return false;
    if (statics.loaded && !statics.held) statics.held = malloc(statics.bytes);
    if (statics.held) copy_out(statics.held);
    return statics.held != NULL;
}

void jm_statics_as_loaded(void) {
    copy_in(statics.loaded);
}

void jm_statics_put_back(void) {
    copy_in(statics.held);
}

void jm_statics_keep(bool changed) {
    if (changed) {
        memcpy(statics.seen, statics.first, (size_t)(statics.end - statics.first));
        return;
    }
    statics.change = false;
    copy_out(statics.kept);
}

/* The range grows within the first piece that has changed. */
void jm_statics_look(void) {
    const uint8_t *kept = statics.kept;
    for (size_t i = 0; i < statics.pieces; kept += statics.piece[i++].bytes) {
        uint8_t *at = statics.piece[i].at;
        size_t first = 0, end = statics.piece[i].bytes;
        if (!memcmp(at, kept, end)) continue;
        while (at[first] == kept[first]) first++;
        while (at[end - 1] == kept[end - 1]) end--;
        if (!statics.change) {
            statics.first = at + first;
            statics.end = at + end;
        } else if (statics.first >= at && statics.first < at + statics.piece[i].bytes) {
            if (at + first < statics.first) statics.first = at + first;
            if (at + end > statics.end) statics.end = at + end;
        }
        statics.change = true;
        if (statics.end - statics.first > (ptrdiff_t)SEEN_MOST)
            statics.end = statics.first + SEEN_MOST;
    }
}

bool jm_statics_change(void) {
    return statics.change;
}

bool jm_statics_new(unsigned kind) {
    const uint8_t **first = &statics.stopped[kind].first, **end = &statics.stopped[kind].end;
    if (*first && statics.first >= *first && statics.end <= *end) return false;
    if (!*first || statics.first < *first) *first = statics.first;
    if (!*end || statics.end > *end) *end = statics.end;
    return true;
}

bool jm_statics_written(void) {
    const size_t bytes = (size_t)(statics.end - statics.first);
    if (!memcmp(statics.seen, statics.first, bytes)) return false;
    memcpy(statics.seen, statics.first, bytes);
    return true;
}
