/* SPDX-License-Identifier: Apache-2.0 */
/* entry_texts - files with texts of job_stats, entry by entry in one form.
 *
 *     file (packed or not) ─▶ entries ─▶ split by the site's formats ─▶ text
 *                                └▶ faults, by file and line
 *
 * Threads  none inside.
 */
#ifndef CLIENT_ENTRY_TEXTS_H
#define CLIENT_ENTRY_TEXTS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum entry_texts_form {
    ENTRY_TEXTS_JSON,  /* an object a line */
    ENTRY_TEXTS_CSV,   /* a row an operation */
    ENTRY_TEXTS_TABLE, /* a row an entry */
    ENTRY_TEXTS_NONE,  /* counts alone */
    ENTRY_TEXTS_SEED,  /* an array as a monitoring client sends it */
};

struct entry_texts_opts {
    enum entry_texts_form form;
    const char *const *formats; /* jobid_name of the site, tried in this order */
    size_t format_count;        /* 0: %j:%u:%H and %e.%u */
    const char *target; /* of entries whose text names none; NULL: by the path */
    int64_t t_ms;       /* of the observation, for the seed; T_NONE: snapshots */
    bool all_faults;    /* not only the first ten of each kind */
    /* A piece of the output.  Negative ends the reading with that error. */
    int (*write)(void *arg, struct span text);
    /* A line for a person, without its end: what was lost, and where. */
    void (*warn)(void *arg, const char *line);
    void *arg;
};

struct entry_texts;

/* "json", "csv", "table", "none", "seed".  Errors: -EINVAL, with the choices. */
int entry_texts_form_parse(const char *name, enum entry_texts_form *ret,
                           struct err *err);

/* What opts points to must outlive *ret, which is the caller's.
 * Errors: -EINVAL (a format that is none, or too many), -ENOMEM. */
int entry_texts_new(const struct entry_texts_opts *opts, struct entry_texts **ret,
                    struct err *err);
void entry_texts_free(struct entry_texts *texts);
DEFINE_AUTO(struct entry_texts, entry_texts_free);

/* Read one more file; "-" is standard input.  What was read before an error is in the
 * output.  Errors: as input_open() and input_read(), -EBADMSG (no line of it can be
 * used), what write says, -ENOMEM. */
int entry_texts_read(struct entry_texts *texts, const char *path, struct err *err);

/* Write what is left, and the end of the form.  Errors: what write says, -ENOMEM. */
int entry_texts_end(struct entry_texts *texts, struct err *err);

#endif
