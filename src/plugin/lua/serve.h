/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the host process's loop: loads and calls in, yields out.
 *
 *     agent ──LOAD, FILES, CALL, UNLOAD, FINISH──▶ scripts ──▶ yields, DONE, END
 *
 * A timer of CPU time ends a call that the instructions do not end; where it goes on
 * even so (in C), the process reports that, and exits.
 * Threads  one.
 */
#ifndef PLUGIN_LUA_SERVE_H
#define PLUGIN_LUA_SERVE_H

#define SERVE_SCRIPTS_MAX 64

/* Start the timer, before sandbox_enter(), which forbids setitimer: a tick each
 * cpu_ms of CPU time.  Errors: of sigaction, setitimer. */
int serve_start_timer(unsigned cpu_ms);
/* From HELLO until the socket ends; 0, or the errno that ended it. */
int serve_run(int fd, unsigned walls);

#endif
