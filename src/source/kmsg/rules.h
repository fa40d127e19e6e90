/* SPDX-License-Identifier: Apache-2.0 */
/* rules - which messages of the kernel are events, and what they state.
 *
 *     [rule xid_hardware]
 *     match = NVRM: Xid \(PCI:(?P<pci>[0-9a-f:.]+)\): (48|79|95), .*
 *     class = hardware
 *     component = gpu:{pci}
 *     health = down
 *
 * The first rule that matches a message counts.  Expressions are of RE2's syntax, match
 * the whole message, in linear time; the plain text that one begins with is
 * compared first, so that most messages cost next to nothing.
 * doc/formats/kernel-rules.md is the specification.
 *
 * Threads  one at a time.
 */
#ifndef SOURCE_KMSG_RULES_H
#define SOURCE_KMSG_RULES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "source/kmsg/record.h"

#define KMSG_RULES_BYTES_MAX ((size_t)256 << 10)
#define KMSG_RULES_MAX 256
#define KMSG_MATCHES_MAX 16 /* expressions of a rule */
#define KMSG_COMPONENT_BYTES_MAX 128
#define KMSG_EVENT_TEXT_BYTES_MAX 512

struct kmsg_rules;

enum kmsg_severity { KMSG_INFO, KMSG_WARNING, KMSG_ERROR, KMSG_FATAL };
enum kmsg_health { KMSG_NO_HEALTH, KMSG_UP, KMSG_DEGRADED, KMSG_DOWN };

/* What a message means; texts are valid until the next call. */
struct kmsg_event {
    const char *rule;   /* its name, and the event's */
    bool is_published;  /* false: health alone, or nothing */
    bool is_held_back;  /* it would be, but the rule has had its rate */
    uint64_t held_back; /* so many were, since the last that was not */
    enum kmsg_severity severity;
    const char *class;     /* "hardware", "application", "system" */
    struct span component; /* below the host: "gpu:0000_3b_00"; "host" */
    struct span text;
    struct span cgroup, pid; /* as the message has them; empty where it has not */
    enum kmsg_health health;
    int64_t health_ns; /* so long; 0: until the next boot */
};

/* Errors: -EINVAL with file, line, value and remedy, -EMSGSIZE, those of reading. */
int kmsg_rules_load(const char *path, struct kmsg_rules **ret, struct err *err);
/* The same from a text. */
int kmsg_rules_parse(const char *name, struct span text, struct kmsg_rules **ret,
                     struct err *err);
void kmsg_rules_free(struct kmsg_rules *rules);
DEFINE_AUTO(struct kmsg_rules, kmsg_rules_free);

size_t kmsg_rules_count(const struct kmsg_rules *rules);

/* False: the message is of no matter.  Messages that are not the kernel's own are of
 * none: programs may write what they like. */
bool kmsg_rules_apply(struct kmsg_rules *rules, const struct kmsg_record *record,
                      struct kmsg_event *ret);

const char *kmsg_severity_name(enum kmsg_severity severity);

#endif
