/* SPDX-License-Identifier: Apache-2.0 */
/* box_rows - the rows of one table of a storage box, and what they report.
 *
 *     index   value   name     text
 *     "7"     "3"     "Slot 7" "predictive failure"   ─▶ disk:Slot 7 is degraded
 *
 * The same for SNMP and REST: cells are texts.  Control characters become blanks, what
 * is no UTF-8 becomes "?"; a cell that is too long is cut, a row without an index that
 * fits, or over the bounds, is none and counted.
 *
 * A row without a value of which there is a name, or an object that is no value, is of
 * a part that is unknown.
 *
 * Bounds   BOX_ROWS_MAX rows.
 * Memory   about 600 KiB; one a reading.
 * Threads  none inside.
 */
#ifndef BMC_BOX_BOX_ROWS_H
#define BMC_BOX_BOX_ROWS_H

#include "bmc/box/box_mapping.h"
#include "bmc/report.h"

#define BOX_ROWS_MAX 1024
#define BOX_CELL_BYTES 128

struct box_row {
    char index[BMC_ID_BYTES];
    char cell[MAPPING_COLUMN_COUNT][BOX_CELL_BYTES];
    bool has[MAPPING_COLUMN_COUNT];
    bool is_void; /* its value is there, and is none */
};

struct box_rows {
    struct box_row row[BOX_ROWS_MAX];
    size_t count;
    size_t last;   /* the row that was set last: the next one is behind it */
    uint64_t lost; /* cells without a row */
};

void box_rows_clear(struct box_rows *rows);
void box_rows_set(struct box_rows *rows, struct span index, enum mapping_column column,
                  struct span text);
/* It is there, and of no use. */
void box_rows_set_void(struct box_rows *rows, struct span index);
bool box_rows_has(struct box_rows *rows, struct span index);
/* Parts and values that rows are by table. */
void box_rows_report(const struct box_rows *rows, const struct mapping_table *table,
                     struct bmc_report *report);

#endif
