/* SPDX-License-Identifier: Apache-2.0 */
/* entry_columns - what can be shown of one entry of job_stats: one row of a table each.
 *
 * A new column is one row in entry_columns.c (and a getter, where no other has it); the
 * forms of entry_forms.h follow.
 *
 *     entry_columns   identity, times, sums     of an entry
 *     entry_op_columns      samples, min, max, ...    of one of its operations
 */
#ifndef SOURCE_LUSTRE_ENTRY_COLUMNS_H
#define SOURCE_LUSTRE_ENTRY_COLUMNS_H

#include "base/table/table.h"
#include "model/model.h"

enum entry_form {
    ENTRY_FORM_JSON = 1 << 0,  /* an object a line */
    ENTRY_FORM_CSV = 1 << 1,   /* a row an operation */
    ENTRY_FORM_TABLE = 1 << 2, /* a row an entry, for people */
};

/* One entry with its identifier split, and one of its operations (NULL: none). */
struct entry_view {
    const struct entry *entry;
    const struct entry_split *split;
    const struct op_stat *op;
};

#define ENTRY_FLAG_NAMES_MAX 8

enum entry_value_kind {
    ENTRY_VALUE_NONE,    /* null */
    ENTRY_VALUE_BYTES,   /* bytes of Lustre's, in their text form */
    ENTRY_VALUE_NUMBER,  /* bytes; a JSON number where they are one */
    ENTRY_VALUE_COUNT,   /* u64 */
    ENTRY_VALUE_SECONDS, /* t_ns, with all digits; in tables of TABLE_TIME a time */
    ENTRY_VALUE_FLAGS,   /* names */
    ENTRY_VALUE_HIST,    /* bytes: "32K: 1, 1M: 5"; an object in JSON */
};

struct entry_value {
    enum entry_value_kind kind;
    union {
        struct span bytes;
        uint64_t count;
        int64_t t_ns;
        struct {
            const char *names[ENTRY_FLAG_NAMES_MAX];
            size_t count;
        } flags;
    };
};

struct entry_column {
    const char *name;
    unsigned forms;       /* ENTRY_FORM_*: where it is shown */
    enum table_type type; /* in CSV and tables */
    const char *unit;
    void (*get)(const struct entry_view *view, struct entry_value *ret);
};

extern const struct entry_column entry_columns[];
extern const size_t entry_column_count;
extern const struct entry_column entry_op_columns[];
extern const size_t entry_op_column_count;

#endif
