/* SPDX-License-Identifier: Apache-2.0 */
/* config - the file that configures baro-agent. */
#ifndef AGENT_CONFIG_H
#define AGENT_CONFIG_H

#include "agent/sampling/sampling_config.h"
#include "base/config.h"
#include "observe/observe.h"
#include "plugin/directory/directory.h"
#include "session/session.h"

struct agent_opts {
    const char *server;
    const char *token_file;
    const char *ca_file;
    const char *host;
    int64_t interval_ns;
    const char *source; /* "lctl", "files" or "none" */
    const char *lctl;
    const char *reader;
    const char *root;
    int64_t deadline_ns;
    struct config_list filesystems;
    const char *state;
    const char *spool;
    uint64_t spool_bytes_max;
    bool spool_sync;
    uint64_t entries_max;
    int64_t backoff_max_ns;
    int64_t timeout_ns;
    const char *metrics;
    const char *metrics_listen;
    int64_t totals_interval_ns; /* 0: none are sent */
    int64_t usage_interval_ns;  /* 0: none is sent */
    uint64_t usage_top;         /* so many users of each target */
    int64_t health_interval_ns; /* of readings of targets; 0: none is sent */
    const char *cluster;
    const char *log_level;
    struct session_opts session; /* the section [session] */
    struct node_opts node;       /* the section [node] */
    struct plugins_opts plugins; /* the section [plugins] */
};

/* Totals to keep, ready for observe. */
struct agent_folds {
    struct observe_fold *folds;
    struct entry_format **formats;
    size_t count;
};
void agent_folds_done(struct agent_folds *folds);
DEFINE_AUTO_DONE(struct agent_folds, agent_folds_done);

#define AGENT_CONFIG_DEFAULT "/etc/barograph/baro-agent.conf"

const struct config_section *agent_config_sections(size_t *ret_count);
/* path NULL: the default file where there is one, else the defaults.  *ret_config owns
 * the texts. */
int agent_config_load(const char *path, const char *const *set, size_t set_count,
                      struct config **ret_config, struct agent_opts *ret,
                      struct agent_folds *ret_folds, struct err *err);

#endif
