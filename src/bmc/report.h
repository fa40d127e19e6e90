/* SPDX-License-Identifier: Apache-2.0 */
/* report - what one reading of one BMC found.
 *
 *     power, health      of the host
 *     parts              what the BMC gives a health of: fan FAN1
 *     values             sensors: metric, name, number
 *     entries            of its log, those that are new (log_cursor.h)
 *
 * Bounds   the arrays; what is more is left out and counted in lost.
 * Memory   about 450 KiB; one a thread, used again.
 */
#ifndef BMC_REPORT_H
#define BMC_REPORT_H

#include "base/span_type.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

#define BMC_PARTS_MAX 1000 /* of a storage box: disks, ports */
#define BMC_VALUES_MAX 1000
#define BMC_TABLES_MAX 256 /* of a storage box: whether they were read whole */
#define BMC_ENTRIES_MAX 64 /* new ones of one reading */
#define BMC_ID_BYTES 64
#define BMC_TEXT_BYTES 256

enum bmc_power { BMC_POWER_UNKNOWN, BMC_POWER_OFF, BMC_POWER_ON };

struct bmc_part {
    const char *type; /* static, or of the mapping: "fan" */
    char id[BMC_ID_BYTES];
    enum resource_health health;
    unsigned table;              /* of a storage box; 0: of none */
    char reason[BMC_TEXT_BYTES]; /* "": up */
};

struct bmc_value {
    const char *metric; /* as type */
    char id[BMC_ID_BYTES];
    double value;
};

enum bmc_severity { BMC_INFO, BMC_WARNING, BMC_CRITICAL };

struct bmc_entry {
    char id[64];
    int64_t t_ns; /* by the BMC's clock; 0: it has none */
    enum bmc_severity severity;
    bool is_crash; /* a watchdog that expired, a panic, a machine check */
    char text[BMC_TEXT_BYTES];
};

struct bmc_report {
    enum bmc_power power;
    bool is_away;         /* it failed: no connection, or nothing came of it in time */
    bool has_log;         /* it was read to its end */
    bool can_move;        /* entries are all that is new up to the cursor's new place */
    bool is_log_followed; /* of its log what came since the last reading was read alone
                           */
    struct bmc_part parts[BMC_PARTS_MAX];
    size_t part_count;
    unsigned table;                 /* that is read now: of parts that are added */
    bool has_whole[BMC_TABLES_MAX]; /* tables, by their number */
    struct bmc_value values[BMC_VALUES_MAX];
    size_t value_count;
    struct bmc_entry entries[BMC_ENTRIES_MAX];
    size_t entry_count;
    struct bmc_entry crash; /* the newest of its log, old ones, too; id "": none */
    uint64_t lost;          /* parts, values, entries over the bounds; bad links */
    char partial[BMC_TEXT_BYTES]; /* a storage box: which tables were not read, and why;
                                     "": all were */
    char note[BMC_TEXT_BYTES]; /* why something of it could not be read; "": all was */
};

void bmc_report_clear(struct bmc_report *report);
/* Without an id nothing is added.  Of parts with one type and id the worse health
 * holds; of such values the first, others are lost. */
void bmc_report_part(struct bmc_report *report, const char *type, const char *id,
                     enum resource_health health, const char *reason);
/* Whether all parts of the table are in it: one that is not is not there.  Table 0: of
 * what has none. */
bool bmc_report_is_whole(const struct bmc_report *report, unsigned table);
void bmc_report_value(struct bmc_report *report, const char *metric, const char *id,
                      double value);
/* entry is of the log, new or not. */
void bmc_report_entry(struct bmc_report *report, const struct bmc_entry *entry,
                      bool is_new);
/* The first note stays. */
void bmc_report_note(struct bmc_report *report, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

const char *bmc_severity_name(enum bmc_severity severity);
const char *bmc_power_name(enum bmc_power power);
/* Is it of a crash, by the text of a log's entry? */
bool bmc_text_is_crash(const char *text);

#endif
