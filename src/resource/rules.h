/* SPDX-License-Identifier: Apache-2.0 */
/* rules - which components a site has, and what they make of each other.
 *
 *     [resource]
 *     host = alex/a[0001-1024]
 *     part = fan: up                 a fan that is down is no matter of its host
 *     part = accelerator: down
 *     [enclosure c07]
 *     cluster = alex
 *     member = a[0097-0112]          hosts, or other enclosures
 *     down = unknown                 what members are while it is down; default: down
 *
 * Threads  read-only after resource_rules_new(): any.
 */
#ifndef RESOURCE_RULES_H
#define RESOURCE_RULES_H

#include "base/config.h"
#include "model/model.h"

extern const struct config_section resource_config_section;
extern const struct config_section enclosure_config_section;

#define RESOURCE_RULES_MAX 1024 /* of each kind */
#define ENCLOSURE_DEPTH_MAX 8

struct resource_hosts {
    char *cluster;
    struct hostset *names;
};

struct part_rule {
    char *type;
    enum resource_health down;
};

struct enclosure_rule {
    char *path; /* alex/c07 */
    struct resource_hosts members;
    enum resource_health down;
};

struct resource_rules {
    struct resource_hosts *hosts;
    size_t host_count;
    struct part_rule *parts;
    size_t part_count;
    struct enclosure_rule *enclosures;
    size_t enclosure_count;
    uint64_t full_percent; /* a target that is so full is degraded */
    uint64_t discover;     /* so many hosts become components by what they send */
    int64_t silent_after_ns;
};

/* Errors: -EINVAL (err names section, key and value), -E2BIG, -ENOMEM. */
int resource_rules_new(const struct config *config, struct resource_rules **ret,
                       struct err *err);
void resource_rules_free(struct resource_rules *rules);
DEFINE_AUTO(struct resource_rules, resource_rules_free);

/* What a part of this type makes of its whole when it is down. */
enum resource_health resource_rules_part(const struct resource_rules *rules,
                                         struct span type);

#endif
