/* SPDX-License-Identifier: Apache-2.0 */
/* sample_text - samples as line protocol or CSV, handed on in whole lines.
 *
 *     series ─▶ head of each row ─┐
 *     samples ────────────────────┴▶ rows ─▶ 256 KiB at a time ─▶ write()
 */
#ifndef MIGRATE_SAMPLE_TEXT_H
#define MIGRATE_SAMPLE_TEXT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

enum sample_text_form {
    SAMPLE_TEXT_LINE, /* line protocol, as ClusterCockpit has it */
    SAMPLE_TEXT_CSV,  /* component, metric, time, value, as /v1/query has them */
};

enum sample_text_times {
    SAMPLE_TEXT_TIMES_AUTO, /* seconds where they are whole, else nanoseconds */
    SAMPLE_TEXT_TIMES_S,    /* decimals cut off */
    SAMPLE_TEXT_TIMES_NS,
};

/* Writes whole lines, all of them or none.  Errors: -errno, with a line in err. */
typedef int sample_text_write_fn(void *arg, struct span lines, struct err *err);

/* The caller sets the first four. */
struct sample_text {
    sample_text_write_fn *write;
    void *write_arg;
    enum sample_text_form form;
    enum sample_text_times times; /* of line protocol */
    struct strbuf out;
    struct strbuf head; /* what each row of the series begins with */
    uint64_t series, samples;
    /* What line protocol cannot express. */
    uint64_t skipped_series, skipped_values;
};

/* The row of names, in CSV. */
void sample_text_begin(struct sample_text *text);
void sample_text_done(struct sample_text *text);
DEFINE_AUTO_DONE(struct sample_text, sample_text_done);

/* The rows that follow are of this series; path is its component's, escaped.
 * Errors: -EINVAL (line protocol cannot express a name; counted), -ENOMEM. */
int sample_text_series(struct sample_text *text, struct span path, struct span metric);
/* A missing value writes nothing.  Errors: -ENOMEM, what write() returns. */
int sample_text_add(struct sample_text *text, int64_t t_ns, double value,
                    struct err *err);
/* Hand on what is left.  Errors: likewise. */
int sample_text_end(struct sample_text *text, struct err *err);

#endif
