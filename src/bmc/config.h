/* SPDX-License-Identifier: Apache-2.0 */
/* config - baro-bmc.conf: the sections [poller], [bmc NAME] and [storage NAME].
 *
 * Threads  none inside; what was read is not changed.
 */
#ifndef BMC_CONFIG_H
#define BMC_CONFIG_H

#include "base/config.h"
#include "base/options.h"
#include "bmc/target.h"

#define BMC_CONFIG_DEFAULT "/etc/barograph/baro-bmc.conf"

/* [poller] */
struct bmc_poller_opts {
    const char *server, *token_file, *ca_file;
    const char *state; /* a directory */
    uint64_t in_flight;
    int64_t backoff_max_ns;
    int64_t report_interval_ns;
    bool sends_events;
};

extern const struct config_section bmc_config_sections[];
extern const size_t bmc_config_section_count;

struct bmc_config {
    struct config *file;
    struct bmc_poller_opts poller;
    struct bmc_section *sections;
    size_t section_count;
    struct bmc_target *targets;
    size_t target_count;
};

/* Reads the file, its credentials, and makes a target of each host.
 * Errors: -EINVAL, -EACCES (a file of credentials that others can read), -E2BIG, what
 * reading returns, -ENOMEM. */
int bmc_config_load(const char *path, const struct option_list *set,
                    struct bmc_config *ret, struct err *err);
void bmc_config_done(struct bmc_config *config);
DEFINE_AUTO_DONE(struct bmc_config, bmc_config_done);

#endif
