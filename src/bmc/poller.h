/* SPDX-License-Identifier: Apache-2.0 */
/* poller - threads that read BMCs, as the schedule has it, and hand on what they find.
 *
 *     schedule ─▶ a thread ─▶ redfish_read, ipmi_read ─▶ report ─▶ statements ─▶ sender
 *        ▲                                                 └▶ new entries ─▶ events,
 *        └── a host that barod does not hear any more is read now       then the cursor
 *
 * A log's cursor goes on when its new entries were published: what was not is read and
 * published again, which changes nothing (?once=true).
 *
 * Bounds   in_flight threads, each with one BMC and a report.
 * Threads  those; the sender's calls poller_silent.
 */
#ifndef BMC_POLLER_H
#define BMC_POLLER_H

#include "bmc/config.h"

struct poller;

/* Errors: those of the state's directory, of the sender, -ENOMEM, -EAGAIN. */
int poller_start(const struct bmc_config *config, struct poller **ret, struct err *err);
/* Waits for readings under way, no longer than their timeouts. */
void poller_stop(struct poller *poller);

struct poller_counts {
    uint64_t readings, failed, entries, lost, late;
    size_t targets, silent_bmcs, silent_hosts, in_flight;
    int64_t behind_ns;  /* what is due longest */
    int64_t reading_ns; /* of all readings together */
};
void poller_count(struct poller *poller, struct poller_counts *ret);
/* One line for the log. */
void poller_print(struct poller *poller, struct strbuf *out);

#endif
