/* SPDX-License-Identifier: Apache-2.0 */
/* statements - a report as what barod is sent. */
#include "bmc/statements.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"

#include <errno.h>
#include <xxhash.h>

static const char *protocol_name(const struct bmc_target *target)
{
    return bmc_protocol_name(target->section->protocol);
}

/* ---- parts, and the BMC itself ---- */

static void check_state(struct parts_stating *s, struct resource_check *check,
                        const char *type, const char *id)
{
    AUTO(strbuf_done) struct strbuf part = STRBUF_INIT;
    struct resource_statement statement;
    if (strcmp(type, MAPPING_CLASS_OF_BOX) == 0)
        strbuf_adds(&part, CHECK_OF_HOST);
    else
        strbuf_addf(&part, "%s:%s", type, id);
    check->kind = "bmc";
    check->name = span_of(protocol_name(s->target));
    check->part = strbuf_span(&part);
    check->t_ns = s->now_ns;
    int rc = strbuf_error(&part);
    if (rc == 0)
        rc = resource_checks_state(s->checks, check, &statement);
    if (rc > 0)
        resource_statement_print_line(&statement, s->out);
    if (rc >= 0)
        return;
    s->report->lost++;
    bmc_report_note(s->report, "nothing is stated of %s %s: %s", type, id,
                    rc == -ENOSPC   ? "the host has too many parts"
                    : rc == -EINVAL ? "its name is no component's"
                                    : strerror(-rc));
}

static void gone_state(void *arg, const char *type, const char *id)
{
    struct resource_check check = { .health = RESOURCE_UNKNOWN,
                                    .reason = SPAN("no longer listed") };
    check_state(arg, &check, type, id);
}

static bool has_whole_table(const struct bmc_report *report)
{
    for (size_t i = 0; i < COUNT_OF(report->has_whole); i++)
        if (report->has_whole[i])
            return true;
    return false;
}

static void parts_state(struct parts_stating *s, const struct bmc_report *report)
{
    for (size_t i = 0; i < report->part_count; i++) {
        const struct bmc_part *part = &report->parts[i];
        struct resource_check check = { .health = part->health,
                                        .reason = span_of(part->reason) };
        check_state(s, &check, part->type, part->id);
    }
}

void statements_of_report(struct parts_stating *s, struct listed_parts *listed,
                          const char *failure)
{
    struct bmc_report *report = s->report;
    const char *why = failure ? failure : report->partial;
    struct resource_check bmc = { .health = failure  ? RESOURCE_UNKNOWN
                                            : why[0] ? RESOURCE_DEGRADED
                                                     : RESOURCE_UP,
                                  .reason = span_of(why) };
    if (bmc.reason.size > RESOURCE_REASON_BYTES_MAX / 2)
        bmc.reason.size = RESOURCE_REASON_BYTES_MAX / 2;
    check_state(s, &bmc, "bmc", protocol_name(s->target));
    /* That a table was read whole, and is empty, is known also where that fails. */
    if (!failure || has_whole_table(report))
        listed_parts_read(listed, report, gone_state, s);
    if (!failure)
        parts_state(s, report);
    if (listed->lost > 0)
        bmc_report_note(report,
                        "%llu parts are not remembered: that they are not listed any "
                        "more will not be noticed",
                        (unsigned long long)listed->lost);
}

/* ---- the host ---- */

void statements_of_silence(const struct bmc_target *target,
                           const struct silence_facts *facts,
                           struct silence_stated *stated, int64_t now_ns,
                           struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf reason = STRBUF_INIT;
    enum silence silence = silence_of(facts, &reason);
    if (silence == SILENCE_NOTHING || strbuf_error(&reason) < 0)
        return;
    /* A host that barod never heard is not silent either, nor is it up. */
    if (silence == SILENCE_HEARD && !stated->has_stated)
        return;
    /* The time at which it was seen goes on; what was seen does not change by it. */
    int64_t steady_ns = clock_steady_ns();
    uint64_t hash =
        silence == SILENCE_CRASHED ? XXH3_64bits(reason.data, reason.size) : 0;
    if (stated->stated_ns != 0 && stated->silence == silence &&
        stated->reason_hash == hash &&
        steady_ns - stated->stated_ns < STATEMENT_AGAIN_NS)
        return;
    struct span text = strbuf_span(&reason);
    if (text.size > RESOURCE_REASON_BYTES_MAX)
        text.size = RESOURCE_REASON_BYTES_MAX;
    const struct resource_statement statement = {
        .component = span_of(target->component),
        .source = SPAN(RESOURCE_SOURCE_BMC),
        .reason = text,
        .health = silence_health(silence),
        .t_ns = now_ns,
    };
    resource_statement_print_line(&statement, out);
    *stated = (struct silence_stated){ true, silence, hash, steady_ns };
}

/* ---- samples ---- */

static void tag_add(struct strbuf *out, const char *name, const char *value)
{
    strbuf_addf(out, ",%s=", name);
    for (; *value; value++) {
        if (strchr(", =\\", *value))
            strbuf_addc(out, '\\');
        strbuf_addc(out, *value);
    }
}

void samples_of_report(const struct bmc_target *target, const struct bmc_report *report,
                       int64_t now_ns, struct strbuf *out)
{
    for (size_t i = 0; i < report->value_count; i++) {
        const struct bmc_value *value = &report->values[i];
        strbuf_adds(out, value->metric);
        tag_add(out, "cluster", target->section->cluster);
        tag_add(out, "hostname", target->host);
        strbuf_adds(out, ",type=bmc");
        tag_add(out, "type-id", value->id);
        strbuf_addf(out, " value=%.17g %lld\n", value->value, (long long)now_ns);
    }
}

/* ---- events ---- */

void event_print(const struct bmc_target *target, const struct bmc_entry *entry,
                 struct strbuf *out)
{
    char when[TIMETEXT_SIZE] = "no time";
    if (entry->t_ns != 0)
        timetext_print(when, entry->t_ns);
    strbuf_addf(out, "%s: log entry %s of %s: %s", target->component, entry->id, when,
                entry->text);
}
