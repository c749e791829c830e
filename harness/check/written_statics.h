/* SPDX-License-Identifier: Apache-2.0
 * The static memory of the plugin that holds an implementation, and the instructions that write to
 * it: state that threads may share without wanting to. */
#ifndef JM_CHECK_WRITTEN_STATICS_H
#define JM_CHECK_WRITTEN_STATICS_H

#include "joulemark/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Remembers the static memory of the shared object that has this function, unless it is remembered
 * already: for a plugin that has just been loaded, before any other call of it. Not to be called by
 * two threads at once. */
void jm_statics_remember(const void *function);
/* Before the object is unloaded: another one may get its place. */
void jm_statics_forget(const void *function);

/* Finds the writable memory of the shared object that has the implementation's functions. False if
 * there is none, if it is too large to be looked at, or if the object is the one of this check. */
bool jm_statics_open(const jm_implementation *self);
void jm_statics_close(void);

/* Keeps the contents for comparison; before a call whose writes are to be seen, of `changed` bytes
 * alone. */
void jm_statics_keep(bool changed);
/* Notes the bytes that differ from those kept; jm_statics_change tells whether some did since the
 * last jm_statics_keep(false). */
void jm_statics_look(void);
bool jm_statics_change(void);
/* Whether the bytes that have changed lie beyond those of all earlier calls with the same `kind`, 0
 * to JM_STATICS_KINDS - 1, for which the answer was yes; they then count as seen for that kind. */
#define JM_STATICS_KINDS 16u
bool jm_statics_new(unsigned kind);
/* Whether one of these bytes has changed since the last call; a handler may call it. */
bool jm_statics_written(void);

/* Between jm_statics_open and _close, while no thread runs code of the object: jm_statics_hold
 * keeps the contents, jm_statics_as_loaded writes those that were remembered in their place, as if
 * no function had been called yet, and jm_statics_put_back the ones kept. False: none are
 * remembered, there is no memory, or the process has other threads than `own_threads`, such as
 * those of a runtime, whose memory must not change. */
bool jm_statics_hold(size_t own_threads);
void jm_statics_as_loaded(void);
void jm_statics_put_back(void);

#ifdef __cplusplus
}
#endif
#endif
