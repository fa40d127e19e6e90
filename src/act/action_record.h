/* SPDX-License-Identifier: Apache-2.0 */
/* action_record - which actions were begun for which cause, and how they ended.
 *
 *     DIR/actions       ACTION, COMPONENT, CHECK, STATE, BEGUN, ENDED, TRIES and
 * RESULT, with tabs between: replaced as a whole
 *
 * Begun is in it, durable, before the command is started.  What a run finds begun was
 * not ended by any: whether its command was done is not known, and it is lost, until a
 * person removes the line.
 *
 * What is written can be read, as of act_record.  A file with another line is refused
 * as a whole.  The lock of act_record is held by the same program.
 *
 * Bounds   ACTION_ITEMS_MAX; ended ones go when no rule is concerned by them.
 */
#ifndef ACT_ACTION_RECORD_H
#define ACT_ACTION_RECORD_H

#include "act/action_cause.h"
#include "act/action_rule.h"

#define ACTION_ITEMS_MAX ((size_t)100000)
#define ACTION_RESULT_BYTES_MAX 200

enum action_state {
    ACTION_NONE,
    ACTION_BEGUN,
    ACTION_DONE,
    ACTION_FAILED, /* its end is known, and it was not 0 */
    ACTION_LOST,   /* its end is not known */
    ACTION_STATE_COUNT
};

/* BEGUN is of the last time; tries since it was done, or given up, before. */
struct action_item {
    const char *action, *component, *check, *result;
    enum action_state state;
    int64_t begun_ns, ended_ns;
    uint64_t tries;
};

struct action_record;

/* Errors: -EBADMSG (the file is not ours; err has the line), those of open(2), -ENOMEM.
 */
int action_record_open(const char *directory, struct action_record **ret,
                       struct err *err);
void action_record_close(struct action_record *record);
DEFINE_AUTO(struct action_record, action_record_close);
/* Where its file is. */
const char *action_record_path(const struct action_record *record);

size_t action_record_count(const struct action_record *record);
/* The texts are as long as that item is not set. */
void action_record_at(const struct action_record *record, size_t index,
                      struct action_item *ret);
/* Of that action and cause; state ACTION_NONE: there is none. */
void action_record_find(const struct action_record *record, const char *action,
                        const struct action_cause *cause, struct action_item *ret);
/* ACTION_NONE forgets it.  Errors: -EINVAL (it could not be read again), -ENOSPC
 * (ACTION_ITEMS_MAX), -ENOMEM; nothing is on disk before the save. */
int action_record_set(struct action_record *record, const struct action_item *item);
/* A clock was set: all is as if it were now. */
void action_record_start_anew(struct action_record *record, int64_t now_ns);
/* Without what ended so long ago that no rule is concerned by it. */
void action_record_forget(struct action_record *record,
                          const struct action_rules *rules, int64_t now_ns);
/* Durable. */
int action_record_save(struct action_record *record, struct err *err);

#endif
