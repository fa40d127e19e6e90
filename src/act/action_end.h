/* SPDX-License-Identifier: Apache-2.0 */
/* action_end - how a command of the site ended, in words, with its output's first line.
 *
 *     "done"   "unknown: exit status 3"   "unknown: signal 9"
 *     "unknown: killed at its deadline"   "unknown: could not be started: ..."
 */
#ifndef ACT_ACTION_END_H
#define ACT_ACTION_END_H

#include "act/action_record.h"
#include "base/system/bounded_command.h"

struct action_end {
    bool is_done;
    char result[ACTION_RESULT_BYTES_MAX + 1]; /* one line of printable ASCII */
    struct strbuf output; /* likewise; of stderr where stdout has none */
    uint64_t cut_bytes;   /* of both */
};

void action_end_make(const struct bounded_command_end *from, struct action_end *ret);
void action_end_done(struct action_end *end);
DEFINE_AUTO_DONE(struct action_end, action_end_done);

#endif
