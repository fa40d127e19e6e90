/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what was read from the simulated servers, line by line in
 * DIR/journal.
 *
 *     list T_NS SERVER PID                           the targets were listed
 *     look T_NS SERVER PID                           something else was asked for
 *     dump T_NS SERVER PID TARGET ENTRIES [ASKED_NS] one job_stats was read to its end
 *
 * T_NS is the time that the texts are of.  Whoever knows when the reader asked, which
 * on a busy machine is earlier, may add it: that is the time that the reader goes by.
 *
 * A line is one write of an appending descriptor, made after the reader took
 * the text.
 */
#ifndef SIM_JOURNAL_H
#define SIM_JOURNAL_H

#include "site.h"

struct sim_look {
    int64_t t_ns, asked_ns;
    size_t server;
    const struct sim_target *target; /* NULL: none was dumped */
    bool is_list;
    int64_t pid;
};

int sim_journal_add_dump(const struct sim *sim, int64_t t_ns, size_t server,
                         const struct sim_target *target, size_t entries);
/* word: "list" or "look". */
int sim_journal_add(const struct sim *sim, int64_t t_ns, size_t server,
                    const char *word);

/* All of a journal, in order of time (and of the file where times are equal).
 * Errors: -EBADMSG (a line that is none). */
int sim_journal_read(const struct sim *sim, const char *path, struct sim_look **ret,
                     size_t *ret_count, struct err *err);

#endif
