/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was drained by us, in a directory, and a log of every action.
 *
 *     DIR/drained       NAME <tab> STATE <tab> REASON: replaced as a whole
 *     DIR/actions.log   a line of JSON an action: only appended to
 *     DIR/lock          one program at a time
 *
 * What is begun is in it, durable, before the scheduler hears of it: a program that is
 * killed leaves nothing of which it is not known whose it is.
 */
#ifndef ACT_RECORD_H
#define ACT_RECORD_H

#include "act/plan.h"

struct act_record;

/* Errors: -EBUSY (another program has it), -EBADMSG (the file is not ours; err has the
 * line), those of open(2). */
int act_record_open(const char *directory, struct act_record **ret, struct err *err);
void act_record_close(struct act_record *record);
DEFINE_AUTO(struct act_record, act_record_close);

size_t act_record_count(const struct act_record *record);
/* ret_reason: as long as the record of that node is not set. */
const char *act_record_at(const struct act_record *record, size_t index,
                          enum act_record_state *ret_state, const char **ret_reason);
bool act_record_find(const struct act_record *record, const char *node,
                     enum act_record_state *ret_state, const char **ret_reason);
/* state ACT_NOTHING forgets it.  Errors: -ENOMEM; nothing is on disk before the save.
 */
int act_record_set(struct act_record *record, const char *node,
                   enum act_record_state state, const char *reason);
/* Durable. */
int act_record_save(struct act_record *record, struct err *err);

struct act_entry {
    int64_t t_ns;
    const char *node, *action, *reason,
        *result; /* "drain", "resume"; "done", an error */
    bool is_busy, is_dry;
};
/* Durable. */
int act_record_log(struct act_record *record, const struct act_entry *entry,
                   struct err *err);

#endif
