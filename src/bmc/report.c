/* SPDX-License-Identifier: Apache-2.0 */
/* report - what one reading of one BMC found. */
#include "bmc/report.h"

#include "base/cleanup.h"
#include "base/span.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

void bmc_report_clear(struct bmc_report *report)
{
    report->power = BMC_POWER_UNKNOWN;
    report->is_away = report->has_log = report->can_move = false;
    report->is_log_followed = false;
    report->part_count = report->value_count = report->entry_count = 0;
    report->crash = (struct bmc_entry){ 0 };
    report->lost = 0;
    report->table = 0;
    memset(report->has_whole, 0, sizeof report->has_whole);
    report->note[0] = report->partial[0] = '\0';
}

static bool id_set(const char *id, char out[BMC_ID_BYTES])
{
    size_t size = strlen(id);
    if (size == 0 || size >= BMC_ID_BYTES)
        return false;
    memcpy(out, id, size + 1);
    return true;
}

static struct bmc_part *part_find(struct bmc_report *report, const char *type,
                                  const char *id)
{
    for (size_t i = 0; i < report->part_count; i++)
        if (strcmp(report->parts[i].type, type) == 0 &&
            strcmp(report->parts[i].id, id) == 0)
            return &report->parts[i];
    return NULL;
}

static bool has_value(const struct bmc_report *report, const char *metric,
                      const char *id)
{
    for (size_t i = 0; i < report->value_count; i++)
        if (strcmp(report->values[i].metric, metric) == 0 &&
            strcmp(report->values[i].id, id) == 0)
            return true;
    return false;
}

void bmc_report_part(struct bmc_report *report, const char *type, const char *id,
                     enum resource_health health, const char *reason)
{
    struct bmc_part *part = part_find(report, type, id);
    if (part && health <= part->health)
        return;
    if (part) {
        part->health = health;
        (void)snprintf(part->reason, sizeof part->reason, "%s", reason);
        return;
    }
    part = &report->parts[report->part_count];
    if (report->part_count == BMC_PARTS_MAX || !id_set(id, part->id)) {
        report->lost++;
        return;
    }
    part->type = type;
    part->table = report->table;
    part->health = health;
    (void)snprintf(part->reason, sizeof part->reason, "%s", reason);
    report->part_count++;
}

bool bmc_report_is_whole(const struct bmc_report *report, unsigned table)
{
    if (report->part_count == BMC_PARTS_MAX)
        return false;
    if (table == 0)
        return report->lost == 0 && !report->note[0];
    return table < BMC_TABLES_MAX && report->has_whole[table];
}

void bmc_report_value(struct bmc_report *report, const char *metric, const char *id,
                      double value)
{
    struct bmc_value *slot = &report->values[report->value_count];
    if (report->value_count == BMC_VALUES_MAX || !isfinite(value) ||
        has_value(report, metric, id) || !id_set(id, slot->id)) {
        report->lost++;
        return;
    }
    slot->metric = metric;
    slot->value = value;
    report->value_count++;
}

void bmc_report_entry(struct bmc_report *report, const struct bmc_entry *entry,
                      bool is_new)
{
    if (entry->is_crash && (!report->crash.id[0] || entry->t_ns >= report->crash.t_ns))
        report->crash = *entry;
    if (!is_new)
        return;
    if (report->entry_count == BMC_ENTRIES_MAX)
        report->lost++;
    else
        report->entries[report->entry_count++] = *entry;
}

void bmc_report_note(struct bmc_report *report, const char *fmt, ...)
{
    va_list ap;
    if (report->note[0])
        return;
    va_start(ap, fmt);
    (void)vsnprintf(report->note, sizeof report->note, fmt, ap);
    va_end(ap);
}

const char *bmc_severity_name(enum bmc_severity severity)
{
    static const char *const names[] = { "info", "warning", "critical" };
    return names[severity];
}

const char *bmc_power_name(enum bmc_power power)
{
    static const char *const names[] = { "unknown", "off", "on" };
    return names[power];
}

bool bmc_text_is_crash(const char *text)
{
    static const char *const signs[] = {
        "watchdog",      "kernel panic",  "os panic",          "os stop",
        "critical stop", "run-time stop", "run-time critical", "IERR",
        "CATERR",        "machine check", "core dump",         "blue screen",
    };
    for (size_t i = 0; i < COUNT_OF(signs); i++)
        if (strcasestr(text, signs[i]))
            return true;
    return false;
}
