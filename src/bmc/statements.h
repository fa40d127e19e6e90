/* SPDX-License-Identifier: Apache-2.0 */
/* statements - a report as what barod is sent: statements about resources, samples,
 * events.
 *
 *     parts   ─▶ alex/a1/fan:FAN1  by system:bmc:redfish@a1, each change once (checks)
 *     gone    ─▶ the same, unknown: it is not listed any more (listed_parts.h)
 *     BMC     ─▶ alex/a1/bmc:redfish: up, degraded where tables of it were not read,
 *                unknown where it does not respond
 *     silence ─▶ alex/a1           by system:bmc, where it is another than before
 *     values  ─▶ bmc_temperature of alex/a1/bmc:CPU1, lines
 *
 * Threads  one at a time for a host's statements.
 */
#ifndef BMC_STATEMENTS_H
#define BMC_STATEMENTS_H

#include "bmc/listed_parts.h"
#include "bmc/silence.h"
#include "bmc/target.h"
#include "resource/resource.h"

#define STATEMENT_AGAIN_NS (60 * 60 * NS_PER_S)

/* What was stated of a host itself. */
struct silence_stated {
    bool
        has_stated; /* something against it, once: only then that it is heard is news */
    enum silence silence;
    uint64_t reason_hash;
    int64_t stated_ns; /* 0: nothing, or it was lost */
};

/* What a reading comes to: lines of JSON, appended to out. */
struct parts_stating {
    const struct bmc_target *target;
    struct resource_checks *checks;
    struct bmc_report *report;
    int64_t now_ns;
    struct strbuf *out;
};

/* failure: why the BMC did not respond; NULL: it did, and the report is what it had.
 * What is not stated is counted there as lost, and noted. */
void statements_of_report(struct parts_stating *s, struct listed_parts *listed,
                          const char *failure);
void statements_of_silence(const struct bmc_target *target,
                           const struct silence_facts *facts,
                           struct silence_stated *stated, int64_t now_ns,
                           struct strbuf *out);
/* Lines of the line protocol, times in ns. */
void samples_of_report(const struct bmc_target *target, const struct bmc_report *report,
                       int64_t now_ns, struct strbuf *out);
/* "a1: log entry 17 of 2026-11-29T03:00:00Z: OS: critical stop (panic)" */
void event_print(const struct bmc_target *target, const struct bmc_entry *entry,
                 struct strbuf *out);

#endif
