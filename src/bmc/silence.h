/* SPDX-License-Identifier: Apache-2.0 */
/* silence - what a host that barod does not hear is: off, crashed, hung or cut.
 *
 *     heard                                     ─▶ up, unless its power is off
 *     silent, power off                         ─▶ off
 *     silent, its log has a crash since then    ─▶ crashed
 *     silent, power on, no crash in the log     ─▶ hung or cut
 *     silent, and nothing comes of its BMC, which responded before ─▶ cut
 *     else, as of a BMC that responds with an error    ─▶ nothing is stated
 *
 * Only what was seen is stated, with the time at which it was: each reason names it.
 * None of these is ever worse than unknown, which is no reason to drain a host.
 *
 * Threads  any: pure.
 */
#ifndef BMC_SILENCE_H
#define BMC_SILENCE_H

#include "bmc/report.h"

/* A BMC logs a crash before the last sample is missed, and clocks differ. */
#define SILENCE_SLACK_NS (2 * 60 * NS_PER_S)

struct silence_facts {
    bool is_silent;
    int64_t silent_since_ns; /* barod's word; 0: not known */
    int64_t seen_ns;         /* when the BMC responded last; 0: it never did */
    bool is_responding;      /* at the last reading it was read */
    bool is_away;            /* at the last reading nothing came of it */
    enum bmc_power power;    /* as of seen_ns */
    bool has_log;            /* as of seen_ns, its log was read, to its end */
    int64_t log_from_ns;     /* from this time on; 0: from its beginning */
    int64_t crash_seen_ns;   /* when a crash was first seen in its log; 0: none, or it
                                was there from the beginning */
    int64_t crash_t_ns;      /* its time by the BMC's clock; 0: none */
    const char *crash_text;
};

enum silence {
    SILENCE_NOTHING, /* nothing to state */
    SILENCE_HEARD,   /* nothing is against it: ends an earlier statement */
    SILENCE_OFF,
    SILENCE_CRASHED,
    SILENCE_HUNG_OR_CUT,
    SILENCE_CUT,
};

/* Appends the reason, nothing where it is NOTHING or HEARD. */
enum silence silence_of(const struct silence_facts *facts, struct strbuf *reason);
enum resource_health silence_health(enum silence silence);
const char *silence_name(enum silence silence);

#endif
