/* SPDX-License-Identifier: Apache-2.0 */
/* export_text - samples as line protocol or CSV, onto standard output or elsewhere. */
#ifndef CMD_EXPORT_TEXT_H
#define CMD_EXPORT_TEXT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

enum export_form {
    EXPORT_LINE, /* line protocol, as ClusterCockpit has it */
    EXPORT_CSV,  /* component, metric, time, value, as /v1/query has them */
};

enum export_times {
    EXPORT_TIMES_AUTO, /* seconds where they are whole, else nanoseconds */
    EXPORT_TIMES_S,    /* cut off */
    EXPORT_TIMES_NS,
};

/* Takes whole lines.  Errors: -errno. */
typedef int export_write_fn(void *arg, struct span lines);

struct export_text {
    export_write_fn *write; /* NULL: onto standard output */
    void *write_arg;
    enum export_form form;
    enum export_times times;
    struct strbuf out;
    struct strbuf head; /* what each row of the series begins with */
    uint64_t series, samples;
    /* What line protocol has no words for. */
    uint64_t unsaid_series, unsaid_values;
};

void export_text_begin(struct export_text *text);
void export_text_done(struct export_text *text);
DEFINE_AUTO_DONE(struct export_text, export_text_done);

/* The rows that follow are of this series.  Errors: -EINVAL (it cannot be said, and is
 * counted), -ENOMEM. */
int export_text_series(struct export_text *text, struct span path, struct span metric);
/* Of the missing value nothing is written.  Errors: -ENOMEM, what writing says. */
int export_text_sample(struct export_text *text, int64_t t_ns, double value);
/* Everything is out.  Errors: what writing says. */
int export_text_end(struct export_text *text, struct err *err);

#endif
