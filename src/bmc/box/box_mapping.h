/* SPDX-License-Identifier: Apache-2.0 */
/* mapping - what a storage box has, and what its values mean: a file of tables.
 *
 *     [table disk]
 *     value  = 1.3.6.1.4.1.99999.2.1.3      a column: OID, or pointer within an item
 *     name   = 1.3.6.1.4.1.99999.2.1.2
 *     text   = 1.3.6.1.4.1.99999.2.1.4
 *     class  = disk                         ─▶ alex/jbod1/disk:NAME
 *     states = 2=up 3=degraded 4=down 5=absent *=unknown
 *
 * A box's response is a set of rows (box_rows.h) whichever way it came; this room's
 * knowledge of a vendor is such a file.
 *
 * Bounds   MAPPING_BYTES_MAX of a file, MAPPING_TABLES_MAX, MAPPING_STATES_MAX a table.
 * Memory   the texts belong to the mapping.
 * Threads  none inside; what was read is not changed.
 */
#ifndef BMC_BOX_BOX_MAPPING_H
#define BMC_BOX_BOX_MAPPING_H

#include "base/config.h"
#include "bmc/box/box_oid.h"
#include "model/model.h"

#define MAPPING_BYTES_MAX ((size_t)64 << 10)
#define MAPPING_TABLES_MAX 32
#define MAPPING_STATES_MAX 64
#define MAPPING_CLASS_OF_BOX "host" /* its health is that of the box itself */

enum box_mapping_kind { MAPPING_SNMP, MAPPING_REST };

enum mapping_column { MAPPING_VALUE, MAPPING_NAME, MAPPING_TEXT, MAPPING_WHEN };
#define MAPPING_COLUMN_COUNT 4

struct mapping_state {
    struct span pattern; /* as of a shell, NUL behind it; or a range of numbers */
    bool is_range;
    double from, to; /* both included */
    enum resource_health health;
};

struct mapping_table {
    const char *table;                        /* its name */
    const char *column[MAPPING_COLUMN_COUNT]; /* "": none */
    struct box_oid oid[MAPPING_COLUMN_COUNT]; /* SNMP: the same */
    const char *path, *items;                 /* REST */
    const char *class, *id, *metric, *when_is;
    uint64_t divisor;
    struct config_list states_text;
    struct mapping_state states[MAPPING_STATES_MAX];
    size_t state_count;
    char *states_copy; /* has the patterns */
};

struct box_mapping {
    struct config *file;
    struct mapping_table *tables;
    size_t count;
};

extern const struct config_section mapping_config_sections[];
extern const size_t mapping_config_section_count;

/* Errors: -EINVAL with file:line and reason, -E2BIG, what reading returns, -ENOMEM. */
int box_mapping_load(const char *path, enum box_mapping_kind kind,
                     struct box_mapping *ret, struct err *err);
int box_mapping_parse(const char *name, struct span text, enum box_mapping_kind kind,
                      struct box_mapping *ret, struct err *err);
void box_mapping_done(struct box_mapping *mapping);
DEFINE_AUTO_DONE(struct box_mapping, box_mapping_done);

/* What value means: the first state that it matches; NULL: none does. */
const struct mapping_state *mapping_state_of(const struct mapping_table *table,
                                             struct span value);

#endif
