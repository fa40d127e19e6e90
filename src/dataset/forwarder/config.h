/* SPDX-License-Identifier: Apache-2.0 */
/* config - baro-datasetd.conf: [dataset], and [jobs] of the agent of a node. */
#ifndef DATASET_FORWARDER_CONFIG_H
#define DATASET_FORWARDER_CONFIG_H

#include "base/config.h"
#include "dataset/forwarder/ahead/prefetch.h"

#include <sys/types.h>

#define FORWARDER_CONFIG_DEFAULT "/etc/barograph/baro-datasetd.conf"

/* Where an agent reports which datasets jobs had mounted. */
struct job_report_opts {
    const char *server; /* NULL: nowhere */
    const char *token_file, *ca_file;
    const char *host, *cluster; /* NULL: this host's name; that of the token */
    const char *spool;
    uint64_t spool_max;
};

struct forwarder_opts {
    const char *repository;
    struct config_list upstream, listen, nbd, ninep;
    bool insecure;
    struct config_list trusted;
    const char *key;
    bool push; /* whether users may send datasets */
    uint64_t push_bytes;
    const char *munge; /* "no", "yes", or the socket of munged */
    const char *socket_mode;
    uint64_t memory, clients_memory;
    const char *cache;
    uint64_t cache_bytes;
    uint64_t workers;
    const char *patience;
    int64_t timeout_ns, client_timeout_ns;
    uint64_t clients_max;
    const char *prefetch;
    const char *log_level;
    struct job_report_opts jobs;
    /* Out of the texts: */
    int64_t patience_ns; /* INT64_MAX: never */
    mode_t mode;
    enum prefetch_mode prefetch_mode;
};

const struct config_section *forwarder_config_sections(size_t *ret_count);
/* path NULL: FORWARDER_CONFIG_DEFAULT where it exists.  Errors: those of config_load(),
 * -EINVAL with a line. */
int forwarder_config_load(const char *path, const char *const *set, size_t set_count,
                          struct config **ret_config, struct forwarder_opts *ret,
                          struct err *err);

#endif
