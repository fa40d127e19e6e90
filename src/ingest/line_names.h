/* SPDX-License-Identifier: Apache-2.0 */
/* line_names - which metric of which component a line of line protocol speaks of.
 *
 *     LINE_CLUSTERCOCKPIT  cpu_load,hostname=h1,type=hwthread,type-id=7 value=1
 *                          ─▶ cluster/h1/hwthread:7, cpu_load
 *     LINE_INFLUX          disk,host=h1,device=sda,fstype=ext4 used=1
 *                          ─▶ cluster/h1/tags:device=sda,fstype=ext4, disk_used
 */
#ifndef INGEST_LINE_NAMES_H
#define INGEST_LINE_NAMES_H

#include "base/strbuf.h"
#include "wire/wire.h"

enum line_form {
    LINE_CLUSTERCOCKPIT,
    LINE_INFLUX,
};

struct line_names_opts {
    enum line_form form;
    struct span cluster;      /* of lines that name none; empty: they must */
    struct span only_host;    /* whose lines these have to be; empty: any host's */
    struct span only_cluster; /* likewise */
};

struct line_names {
    struct strbuf path; /* of the component */
    struct strbuf metric;
    struct strbuf scratch;     /* names without their escapes */
    struct span host, cluster; /* in scratch, or the options' */
    bool has_unknown_tag;
};

void line_names_done(struct line_names *names);
DEFINE_AUTO_DONE(struct line_names, line_names_done);

/* Fill path and metric for one field of a point.  Errors: -EINVAL (the line lacks or
 * says what it must not), -EACCES (another host's), -ENOMEM; *ret_reason says which. */
int line_names_make(struct line_names *names, const struct line_names_opts *opts,
                    const struct line_point *point, const struct line_field *field,
                    const char **ret_reason);

#endif
