/* SPDX-License-Identifier: Apache-2.0 */
/* target - one BMC or storage box: the host that it belongs to or is, where it is, how
 * it is read.
 *
 *     [bmc rack1]     host = a[0001-0512]  address = bmc-%h   ─▶ 512 targets
 *     [storage jbods] host = jbod[1-8]     address = %h-mgmt  ─▶ 8 targets
 *
 * Bounds   BMC_TARGETS_MAX.
 */
#ifndef BMC_TARGET_H
#define BMC_TARGET_H

#include "base/config.h"
#include "base/err.h"
#include "bmc/box/box_mapping.h"

#define BMC_TARGETS_MAX 100000

enum bmc_protocol { BMC_REDFISH, BMC_IPMI, BMC_SNMP, BMC_REST };

/* [bmc NAME], [storage NAME] */
struct bmc_section {
    const char *kind; /* "bmc", "storage" */
    const char *name;
    const char *cluster, *host, *address, *protocol_name;
    const char *credentials, *ca_file, *system;
    int64_t interval_ns, timeout_ns;
    bool is_verified, reads_sensors, reads_log;
    uint64_t cipher;
    enum bmc_protocol protocol;
    char *user, *password; /* of the file of credentials; SNMP 2c: user, a community */
    /* [storage NAME] alone */
    struct config_list mapping_paths;
    const char *version_name, *auth_name, *privacy_name; /* SNMP */
    char *privacy_password;                              /* SNMP 3 */
    struct box_mapping *mappings;                        /* as many as paths */
};

struct bmc_target {
    const struct bmc_section *section;
    char *host;      /* a0001 */
    char *component; /* alex/a0001 */
    char *address;   /* bmc-a0001, 10.1.0.1:8443 */
};

/* "redfish": what the component of the target itself is called. */
const char *bmc_protocol_name(enum bmc_protocol protocol);

/* Append a target of each host of the section.  Errors: -EINVAL, -E2BIG, -ENOMEM. */
int bmc_targets_add(const struct bmc_section *section, struct bmc_target **targets,
                    size_t *count, struct err *err);
void bmc_targets_free(struct bmc_target *targets, size_t count);

#endif
