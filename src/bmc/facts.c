/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what readings of one BMC showed, as silence_of() wants it. */
#include "bmc/facts.h"

#include "base/number.h"
#include "bmc/log_cursor.h"

#include <stdio.h>

/* A reading that is late by two still counts. */
#define INTERVALS_MAX 3

/* The newest of those that are new; of one time the last. */
static const struct bmc_entry *crash_new(const struct bmc_report *report)
{
    const struct bmc_entry *new = NULL;
    for (size_t i = 0; i < report->entry_count; i++) {
        const struct bmc_entry *entry = &report->entries[i];
        if (entry->is_crash && (!new || entry->t_ns >= new->t_ns))
            new = entry;
    }
    return new;
}

/* An entry whose event could not be published is new at each reading, and the same. */
static void crash_note(struct bmc_facts *facts, const struct bmc_report *report,
                       int64_t interval_ns, int64_t now_ns)
{
    struct silence_facts *f = &facts->silence;
    const struct bmc_entry *crash = crash_new(report);
    uint64_t hash = crash ? log_entry_hash(crash) : 0;
    if (crash && hash == facts->crash_hash)
        return;
    if (crash) {
        bool was_read = facts->log_read_ns != 0 &&
                        now_ns - facts->log_read_ns <=
                            INTERVALS_MAX * interval_ns + SILENCE_SLACK_NS;
        facts->crash_hash = hash;
        f->crash_seen_ns = was_read ? now_ns : 0;
    } else if (f->crash_seen_ns == 0 && report->crash.id[0]) {
        crash = &report->crash; /* it was there before we looked */
    } else {
        return;
    }
    f->crash_t_ns = crash->t_ns;
    (void)snprintf(facts->crash_text, sizeof facts->crash_text, "%s", crash->text);
    f->crash_text = facts->crash_text;
}

void bmc_facts_update(struct bmc_facts *facts, const struct bmc_report *report,
                      bool has_responded, int64_t interval_ns, int64_t now_ns)
{
    struct silence_facts *f = &facts->silence;
    f->is_responding = has_responded;
    f->is_away = !has_responded && report->is_away;
    if (!has_responded)
        return;
    f->seen_ns = now_ns;
    f->power = report->power;
    f->has_log = report->has_log;
    crash_note(facts, report, interval_ns, now_ns);
    if (report->can_move && facts->log_from_ns == 0)
        facts->log_from_ns = now_ns;
    f->log_from_ns = report->is_log_followed ? facts->log_from_ns : 0;
    if (report->has_log)
        facts->log_read_ns = now_ns;
}
