/* SPDX-License-Identifier: Apache-2.0 */
/* action_command - the words and the environment of an action, for a cause.
 *
 *     --node={host}  --why={reason}    -->   --node=n1  --why=ping: no response
 *     BARO_HOST=n1   BARO_REASON=ping: no response ...
 *
 * A value stays within its word, whatever is in it.  Reasons are others' texts: one
 * line of printable ASCII without quotes, bars and backslashes, and without a dash in
 * front, which a word that begins with one would be an option by.
 */
#ifndef ACT_ACTION_COMMAND_H
#define ACT_ACTION_COMMAND_H

#include "act/action_cause.h"
#include "act/action_rule.h"

/* Errors: -EINVAL (no such placeholder, or one that is not closed). */
int action_argument_check(const char *word, struct err *err);

struct action_command {
    struct arena arena;
    const char **argv, **environment; /* end with NULL */
};

void action_command_init(struct action_command *command);
void action_command_done(struct action_command *command);
DEFINE_AUTO_DONE(struct action_command, action_command_done);

/* Errors: -ENOMEM. */
int action_command_make(const struct action_rule *rule,
                        const struct action_cause *cause, struct action_command *ret);

/* "alex/n1 down by bmc: power: off" */
void action_cause_print(const struct action_cause *cause, struct strbuf *out);

#endif
