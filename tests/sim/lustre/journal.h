/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what was read from the simulated servers, line by line in
 * DIR/journal.
 *
 *     look  T_NS SERVER PID                    the server's parameters were
 * listed dump  T_NS SERVER PID TARGET ENTRIES     one job_stats was read to its
 * end
 *
 * A line is one write of an appending descriptor, made after the reader took
 * the text.
 */
#ifndef SIM_JOURNAL_H
#define SIM_JOURNAL_H

#include "site.h"

struct sim_look {
    int64_t t_ns;
    size_t server;
    const struct sim_target *target; /* NULL: only listed */
    int64_t pid;
};

int sim_journal_add(const struct sim *sim, int64_t t_ns, size_t server,
                    const struct sim_target *target, size_t entries);

/* All of a journal, in order of time (and of the file where times are equal).
 * Errors: -EBADMSG (a line that is none). */
int sim_journal_read(const struct sim *sim, const char *path, struct sim_look **ret,
                     size_t *ret_count, struct err *err);

#endif
