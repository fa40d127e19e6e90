/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was drained by us, in a directory, and a log of every action.
 *
 *     DIR/drained       CLUSTER, NODE, STATE, CHANGED, SINCE and REASON, with tabs
 *                       between: replaced as a whole
 *     DIR/actions.log   a line of JSON an action: only appended to
 *     DIR/lock          one program at a time
 *
 * What is begun is in it, durable, before the scheduler hears of it: a program that is
 * killed leaves nothing of which it is not known whose it is.
 *
 * What is written can be read: the same check is before both.  A name is one that a
 * node can have, a reason one line, and of what was drained one of ours; no item stands
 * there twice, and the last line is whole.  A file with another line is refused as a
 * whole.
 *
 * Lines of older versions, NODE, STATE and REASON, have no cluster: they stay until
 * the cluster is known (act_record_adopt).
 */
#ifndef ACT_RECORD_H
#define ACT_RECORD_H

#include "act/plan.h"
#include "act/run_clock.h"

struct act_record;

/* A name that may stand in it, and be a directory's. */
bool act_cluster_is_valid(const char *name);

struct act_record_opts {
    const char *directory, *cluster;
    const char *old_directory; /* read where directory has no record; NULL: none */
};

/* Errors: -EBUSY (another program has it), -EBADMSG (the file is not ours; err has the
 * line), those of open(2). */
int act_record_open(const struct act_record_opts *opts, struct act_record **ret,
                    struct err *err);
void act_record_close(struct act_record *record);
DEFINE_AUTO(struct act_record, act_record_close);

/* cluster "": not known.  since_ns: of ACT_SEEN, and of what is drained by us, when a
 * run last saw the host otherwise: not in that health, or not up. */
struct act_item {
    const char *cluster, *node, *reason;
    enum act_record_state state;
    int64_t changed_ns, since_ns;
};

size_t act_record_count(const struct act_record *record);
/* Of every cluster.  The texts are as long as that item is not set. */
void act_record_at(const struct act_record *record, size_t index, struct act_item *ret);
/* Of the cluster; state ACT_NOTHING: there is none. */
bool act_record_find(const struct act_record *record, const char *node,
                     struct act_item *ret);
/* Of the cluster; item->cluster is not looked at.  ACT_NOTHING forgets it.  Errors:
 * -EINVAL (it could not be read again), -ENOMEM; nothing is on disk before the save. */
int act_record_set(struct act_record *record, const struct act_item *item);
/* That of index, without a cluster, is the cluster's. */
int act_record_adopt(struct act_record *record, size_t index);
/* When the cluster's last run was; t_ns 0: never. */
void act_record_last_run(const struct act_record *record, struct run_clock *ret);
int act_record_set_last_run(struct act_record *record, const struct run_clock *now);
/* The clock was set: what the cluster's items have seen, they see from now on, and the
 * last run is now. */
int act_record_start_anew(struct act_record *record, const struct run_clock *now);
/* Durable. */
int act_record_save(struct act_record *record, struct err *err);

/* Of a line about a command of the site. */
struct act_entry_action {
    const char *name, *component, *check, *state, *output; /* its first line */
    int64_t begun_ns, ended_ns;                            /* 0: not yet */
    uint64_t cut_bytes; /* of its output, over the bound */
};

struct act_entry {
    int64_t t_ns;
    const char *node, *action, *reason,
        *result;               /* "drain", "resume"; "done", an error */
    const char *reason_before; /* that Slurm listed right before; NULL: none */
    bool is_busy, is_dry;
    const struct act_entry_action *run; /* NULL: it is about the node in Slurm */
};
/* Durable. */
int act_record_log(struct act_record *record, const struct act_entry *entry,
                   struct err *err);

#endif
