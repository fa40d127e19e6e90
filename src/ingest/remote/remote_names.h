/* SPDX-License-Identifier: Apache-2.0 */
/* remote_names - which metric of which component the labels of a series name.
 *
 *     {__name__="up", cluster="c", hostname="n1", job="x"}  ─▶  c/n1/tags:job=x, up
 *     {__name__="up", instance="n1:9100"}, map = instance hostname
 *                             ─▶  none/n1/tags:cluster=,hostname=,instance=n1:9100, up
 *
 * The rule decides where a series lies, and changes none of its labels: what is read
 * from the path is what was sent (model/label_path.h).  Only a default cluster that is
 * configured is a label that comes to those without it.
 */
#ifndef INGEST_REMOTE_NAMES_H
#define INGEST_REMOTE_NAMES_H

#include "base/config.h"
#include "model/model.h"
#include "wire/wire.h"

#define REMOTE_HOME_NONE "none" /* where what names no cluster, or no host, lies */

struct remote_names_opts {
    struct config_list map;   /* "LABEL cluster" or "LABEL hostname", the first first */
    struct span cluster;      /* of series without that label; empty: none */
    struct span only_host;    /* whose series these have to be; empty: any host's */
    struct span only_cluster; /* likewise */
};

/* Errors: -EINVAL, what is wrong with map. */
int remote_names_check(const struct remote_names_opts *opts, struct err *err);

struct remote_names {
    struct strbuf path;
    struct span metric; /* in the message */
};

void remote_names_done(struct remote_names *names);
DEFINE_AUTO_DONE(struct remote_names, remote_names_done);

/* Errors: -EINVAL (the labels), -EACCES (another host's or cluster's), -ENOMEM;
 * *ret_reason has the reason. */
int remote_names_make(struct remote_names *names, const struct remote_names_opts *opts,
                      const struct remote_series *series, const char **ret_reason);

#endif
