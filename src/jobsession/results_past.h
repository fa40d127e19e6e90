/* SPDX-License-Identifier: Apache-2.0 */
/* results_past - what is in the file of a session whose control process ended, before
 * another one goes on with it.
 *
 *     session.db ─▶ whole? ours? this session's? ─▶ its id, its begin, its
 * incarnations, what was stated about its nodes
 *
 * A file that is damaged, of another program or of another session is refused, and not
 * changed.  One without facts is of a process that was killed before it had any.
 * Threads  one; it waits for a disk, ten seconds for the check of the whole file.
 */
#ifndef JOBSESSION_RESULTS_PAST_H
#define JOBSESSION_RESULTS_PAST_H

#include "base/err.h"
#include "model/model.h"

struct sqlite3;

struct results_past {
    const char *name;  /* the session's; this and what follows is given */
    const char *state; /* the directory with its incarnation */
    /* The id of one that goes on where it had ended; NULL: it does not go on. */
    const char *next;
    bool is_another; /* it has that id even if it did not end */
    /* Each statement that its own plugins made. */
    void (*statement_fn)(void *arg, const struct resource_statement *statement);
    void *arg;

    char session[SESSION_ID_BYTES + 1]; /* "": there are no facts */
    int64_t begin_ms;
    bool has_ended;
};

/* Also makes it go on: at once it has its next id, and that it ended is no fact any
 * more.
 * Errors: -EBADMSG (damaged, or not of this session), -EPERM (of another user, or
 * others may write it), -EIO; each with a line in err. */
int results_past_read(struct sqlite3 *db, const char *path, struct results_past *past,
                      struct err *err);

#endif
