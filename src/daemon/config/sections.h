/* SPDX-License-Identifier: Apache-2.0 */
/* sections - the sections of barod.conf, gathered from the rooms that own them. */
#ifndef DAEMON_CONFIG_SECTIONS_H
#define DAEMON_CONFIG_SECTIONS_H

#include "analysis/footprint/footprint.h"
#include "analysis/log_dirs/log_dirs.h"
#include "analysis/rules/rules.h"
#include "base/config.h"
#include "base/log.h"
#include "daemon/config/store_section.h"
#include "forward/forward.h"
#include "ingest/ingest.h"
#include "net/net.h"
#include "plugin/directory/directory.h"
#include "records/records.h"
#include "resource/resource.h"
#include "session/session.h"
#include "signin/signin.h"

/* [barod] */
struct daemon_own_opts {
    const char *log_level;
    enum log_level level;
    uint64_t queue_bytes_max;
    int64_t maintain_ns;
    int64_t rollup_ns;
    const char *footprints;
    int64_t footprint_delay_ns;
    int64_t query_timeout_ns;
    int64_t live_ns;
    uint64_t live_bytes_max;
    uint64_t memory_max_bytes; /* 0: see memory.h */
    uint64_t query_budget_bytes;
    const char *climate_map; /* of /v1/climate */
};

struct daemon_opts {
    struct daemon_own_opts barod;
    struct net_opts net;
    struct login_opts login;
    struct records_opts records;
    struct daemon_store_opts store;
    struct write_opts write;
    struct session_opts session;
    struct plugins_opts plugins; /* of barod: whose sinks have results of its session */
    struct remote_opts remote;
};

/* All sections that barod understands; *ret_count says how many. */
const struct config_section *daemon_config_sections(size_t *ret_count);
/* All but the file systems, which model/site reads itself. */
int daemon_config_fill(const struct config *config, struct daemon_opts *ret,
                       struct err *err);
/* A file with a password in it is refused where others may read it.
 * Errors: -EACCES, as secret_check(). */
int daemon_config_check_secrets(const char *path, const struct config *config,
                                struct err *err);
void daemon_config_describe(struct strbuf *out);

#endif
