/* SPDX-License-Identifier: Apache-2.0 */
/* action_cause - what a system states as bad, of a cluster's hosts and their parts.
 *
 *     component         health    source                 cause
 *     alex/n1/dimm:3    degraded  system:node:edac@n1    -       a cause
 *     alex/n1           degraded  system:node:edac@n1    dimm:3  none: it is the part's
 *     alex/n2           down      admin                  -       none
 *
 * An opinion of a user is in no health that barod lists, and its source is none here.
 *
 * Names are hostile: a host is what a node may be called, a component and a check are
 * of letters, digits and ._:/@+=-\, none begins with '-' or '.'; others are counted,
 * and left out.
 */
#ifndef ACT_ACTION_CAUSE_H
#define ACT_ACTION_CAUSE_H

#include "base/table/table.h"
#include "model/model.h"

struct action_cause {
    const char *component, *host;
    const char *class_name; /* "host", "dimm" */
    const char *check;      /* NAME of system:NAME, without @HOST */
    const char *reason;     /* as barod has it */
    enum resource_health state;
    int64_t since_ns; /* by barod's clock; 0: not known */
};

struct action_causes {
    struct arena arena;
    struct action_cause *causes;
    size_t count, capacity;
    size_t unnamed; /* left out for their names */
};

/* What barod is requested for. */
#define ACTION_CAUSE_HEALTHS "down,degraded"
/* "alex/n1/dimm:3": its host, as the path has it; empty: it has none. */
struct span action_cause_host(struct span component);

void action_causes_init(struct action_causes *causes);
void action_causes_done(struct action_causes *causes);
DEFINE_AUTO_DONE(struct action_causes, action_causes_done);

/* Of /v1/resources.  Errors: -EBADMSG (no such table), -ENOMEM. */
int action_causes_read(const struct table *resources, const char *cluster,
                       struct action_causes *ret, struct err *err);

#endif
