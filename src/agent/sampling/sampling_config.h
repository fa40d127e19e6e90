/* SPDX-License-Identifier: Apache-2.0 */
/* sampling_config - the section [node] of baro-agent.conf. */
#ifndef AGENT_SAMPLING_SAMPLING_CONFIG_H
#define AGENT_SAMPLING_SAMPLING_CONFIG_H

#include "base/config.h"

struct node_opts {
    struct config_list sources; /* none: nothing is sampled */
    uint64_t every;             /* triggers */
    int64_t interval_ns;        /* where no trigger comes */
    int64_t flush_ns;           /* samples gather for so long */
    const char *cluster;        /* "": that of [agent] */
    const char *socket;         /* "": programs of this node submit nothing */
    const char *kernel_rules;   /* "": messages of the kernel are not read */
    int64_t mounts_interval_ns; /* 0: mounts are not checked */
    int64_t mount_deadline_ns;
    int kernel_fd; /* of these, opened before privileges were given up; 0: it was not */
};

extern const struct config_section node_config_section;

/* The sources as a set of enum node_source.  Errors: -EINVAL. */
int node_opts_sources(const struct node_opts *opts, unsigned *ret, struct err *err);

#endif
