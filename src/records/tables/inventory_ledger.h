/* SPDX-License-Identifier: Apache-2.0 */
/* inventory_ledger - parts of nodes as rows of two ledgers.
 *
 *     part_stays    a part at a place, from when it was first seen there to when it
 *                    was last: the history of a part is its rows
 *     part_changes   what became of a part: appeared, moved, gone, ...
 *
 * part is what it is recognised by: "dimm 3C4D5E6F", its class and serial number; of
 * one without that, "cpu @n1 cpu0", its place.
 */
#ifndef RECORDS_TABLES_INVENTORY_LEDGER_H
#define RECORDS_TABLES_INVENTORY_LEDGER_H

#include "records/tables/ledger.h"

extern const struct ledger ledger_part_stays;
extern const struct ledger ledger_part_changes;

/* Texts that are not known are empty. */
struct part_stay {
    struct span cluster, part, host, slot;
    int64_t first_ns, last_ns; /* seen there */
    int64_t gone_ns;           /* 0: it is there */
    struct span gone_why;      /* "gone", "moved", "replaced" */
    struct span class_name, vendor, model, serial, firmware;
    struct span label; /* in EDAC */
    int64_t size_bytes;
    /* Errors of it, wherever it was; and what its node last counted since boot_ns. */
    int64_t corrected, uncorrected;
    int64_t corrected_seen, uncorrected_seen;
    int64_t boot_ns;
    bool is_duplicate; /* its serial number is that of another that is there, too */
};

struct part_change {
    struct span cluster, part, host, slot;
    int64_t t_ns;
    struct span change; /* "found" by the first report of a host, "appeared", "moved",
                           "returned", "gone", "replaced", "firmware", "duplicate" */
    struct span class_name, model, serial;
    struct span before, after;
};

/* The row as it is submitted at now_ms, in arena; its texts are the place's.
 * NULL: no memory. */
const struct scalar *part_stay_row(const struct part_stay *stay, int64_t now_ms,
                                   struct arena *arena);
const struct scalar *part_change_row(const struct part_change *change, int64_t now_ms,
                                     struct arena *arena);
/* Texts are the row's. */
void part_stay_of_row(const struct scalar *row, struct part_stay *ret);
void part_change_of_row(const struct scalar *row, struct part_change *ret);

#endif
