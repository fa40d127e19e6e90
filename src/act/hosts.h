/* SPDX-License-Identifier: Apache-2.0 */
/* hosts - what barod, the scheduler and our record have of each host, for the plan.
 *
 * A host that we drained is among them also where barod does not list it, or the
 * scheduler: it counts towards the limits until it is seen.
 *
 * So is a node that is drained with a reason like ours, whatever barod and the record
 * have of it.  A host of barod whose name no node can have is not among them: a token
 * may name a host as it likes.
 *
 * Times that a host's clock gave are not trusted: our own runs bound them
 * (ACT_SEEN).
 */
#ifndef ACT_HOSTS_H
#define ACT_HOSTS_H

#include "act/record.h"
#include "base/table/table.h"

struct act_hosts {
    struct arena arena; /* names */
    struct act_host *hosts;
    size_t count;
    size_t known;   /* the first of them: those that barod lists */
    size_t matched; /* of these, nodes of the scheduler */
    size_t unnamed; /* hosts of barod that can be no node, and are not among them */
    const char *unnamed_component; /* the first of these, as barod escapes it */
    struct hashmap by_name;
};

void act_hosts_init(struct act_hosts *hosts);
void act_hosts_done(struct act_hosts *hosts);
DEFINE_AUTO_DONE(struct act_hosts, act_hosts_done);

/* resources, nodes and record outlive it; what is seen is set in the record.
 * Errors: -EBADMSG (no such table), -ENOMEM. */
int act_hosts_make(const struct table *resources, const struct node_list *nodes,
                   struct act_record *record, int64_t now_ns, struct act_hosts *ret,
                   struct err *err);

/* *host as barod has it now.  Errors: -ENOENT (it lists it not any more), as above. */
int act_host_again(const struct table *resources, const struct act_record *record,
                   int64_t now_ns, struct act_host *host, struct err *err);

#endif
