/* SPDX-License-Identifier: Apache-2.0 */
/* target - one BMC: the host that it belongs to, where it is, how it is read.
 *
 *     [bmc rack1]  host = a[0001-0512]  address = bmc-%h   ─▶ 512 targets
 *
 * Bounds   BMC_TARGETS_MAX.
 */
#ifndef BMC_TARGET_H
#define BMC_TARGET_H

#include "base/config.h"
#include "base/err.h"

#define BMC_TARGETS_MAX 100000

enum bmc_protocol { BMC_REDFISH, BMC_IPMI };

/* [bmc NAME] */
struct bmc_section {
    const char *name;
    const char *cluster, *host, *address, *protocol_name;
    const char *credentials, *ca_file, *system;
    int64_t interval_ns, timeout_ns;
    bool is_verified, reads_sensors, reads_log;
    uint64_t cipher;
    enum bmc_protocol protocol;
    char *user, *password; /* of the file of credentials */
};

struct bmc_target {
    const struct bmc_section *section;
    char *host;      /* a0001 */
    char *component; /* alex/a0001 */
    char *address;   /* bmc-a0001, 10.1.0.1:8443 */
};

/* Append a target of each host of the section.  Errors: -EINVAL, -E2BIG, -ENOMEM. */
int bmc_targets_add(const struct bmc_section *section, struct bmc_target **targets,
                    size_t *count, struct err *err);
void bmc_targets_free(struct bmc_target *targets, size_t count);

#endif
