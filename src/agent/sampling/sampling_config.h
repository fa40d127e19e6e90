/* SPDX-License-Identifier: Apache-2.0 */
/* sampling_config - the section [node] of baro-agent.conf. */
#ifndef AGENT_SAMPLING_SAMPLING_CONFIG_H
#define AGENT_SAMPLING_SAMPLING_CONFIG_H

#include "base/config.h"

struct node_energy;

struct node_opts {
    struct config_list sources;    /* none: nothing is sampled */
    uint64_t every;                /* triggers */
    int64_t interval_ns;           /* where no trigger comes */
    int64_t flush_ns;              /* samples gather for so long */
    const char *cluster;           /* "": that of [agent] */
    const char *socket;            /* "": programs of this node submit nothing */
    struct config_list job_events; /* names that jobs on this node may be given */
    const char *kernel_rules;      /* "": messages of the kernel are not read */
    int64_t mounts_interval_ns;    /* 0: mounts are not checked */
    int64_t inventory_interval_ns; /* 0: parts are not read */
    int64_t mount_deadline_ns;
    /* Of corrected errors: in an hour, times what is usual, until they were few for. */
    uint64_t corrected_max, corrected_ratio;
    int64_t corrected_quiet_ns;
    const char *gpu_reader, *gpu_library;
    int64_t gpu_deadline_ns;
    /* Opened before privileges were given up; NULL: it was not. */
    struct node_energy *energy;
    int kernel_fd; /* of these, opened before privileges were given up; 0: it was not */
};

extern const struct config_section node_config_section;

/* GPUs are read where "gpu" is one of the sources, or "all". */
enum gpu_choice { GPU_NOT, GPU_IF_THERE, GPU_NAMED };
enum gpu_choice node_opts_gpu(const struct node_opts *opts);

/* The sources as a set of enum node_source, without "gpu".  Errors: -EINVAL. */
int node_opts_sources(const struct node_opts *opts, unsigned *ret, struct err *err);

#endif
