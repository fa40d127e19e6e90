/* SPDX-License-Identifier: Apache-2.0 */
/* show - a whole log written in a form, piece by piece.
 *
 *     log ─▶ module after module ─▶ form (text, JSON) ─▶ pieces of text
 *
 * Memory   one record, and a piece of SHOW_PIECE_BYTES.
 */
#ifndef SOURCE_DARSHAN_SHOW_H
#define SOURCE_DARSHAN_SHOW_H

#include "source/darshan/show_form.h"

struct darshan_show_opts {
    const struct darshan_show_form *form; /* darshan_show_text or darshan_show_json */
    unsigned parts;                       /* of enum darshan_show_part */
    void *arg;
    /* 0, or -errno, which ends it all. */
    int (*write)(void *arg, struct span text);
    /* What is missing, or not read, of the log: one line.  May be NULL. */
    void (*fault)(void *arg, const char *what);
};

/* Errors: as darshan_log_open(); -EBADMSG (the log is damaged: it was written as far as
 * it goes; err stays empty), -ENOMEM, what write returned. */
int darshan_log_show(const char *path, const struct darshan_show_opts *opts,
                     struct err *err);

#endif
