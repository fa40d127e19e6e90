/* SPDX-License-Identifier: Apache-2.0 */
/* steps - the rooms of barod in the order of their start; they stop in reverse. */
#ifndef DAEMON_STEPS_H
#define DAEMON_STEPS_H

#include "daemon/parts.h"
#include "daemon/setup.h"
#include "daemon/signals.h"

/* What lives from start to stop. */
struct daemon {
    struct daemon_setup setup;
    uv_loop_t loop;
    bool has_loop; /* false: a check */
    struct daemon_parts parts;
    struct daemon_signals signals;
};

/* All of it, up to the listeners.  setup and loop are there.  On failure too the caller
 * calls daemon_stop().  Errors: those of the rooms; err has one line. */
int daemon_start(struct daemon *d, struct err *err);
/* Only what a start makes of the configuration beside the databases; nothing listens
 * and no thread is started.  Errors: as daemon_start(). */
int daemon_start_checked(struct daemon *d, struct err *err);
/* The first step.  Errors: -ENODATA (opened to read, and there is no database), those
 * of records_connect(). */
int daemon_start_records(struct daemon *d, struct err *err);
/* Stops and frees all that was started, the loop and the setup. */
void daemon_stop(struct daemon *d);

#endif
