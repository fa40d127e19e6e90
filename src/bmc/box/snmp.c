/* SPDX-License-Identifier: Apache-2.0 */
/* snmp - one reading of a storage box by SNMP, through its mapping. */
#include "bmc/box/snmp.h"

#include "base/cleanup.h"
#include "base/span.h"
#include "bmc/box/box_session.h"
#include "bmc/box/box_tables.h"

#define WALK_MAX \
    16384 /* objects of a column of names, which may be of other rows, too */

struct snmp_visit {
    struct box_session *session;
    struct box_rows *rows;
    struct box_value values[SNMP_REPETITIONS_MAX];
};

int box_snmp_check(struct err *err)
{
    (void)err;
    box_session_start();
    return 0;
}

struct walk {
    const struct box_oid *root;
    struct box_oid at; /* the object that came last */
    enum mapping_column column;
    size_t count;
    bool is_end;
};

static void cell_add(struct snmp_visit *v, const struct walk *walk,
                     const struct box_value *value)
{
    char index[BOX_OID_TEXT_BYTES];
    size_t size = box_oid_print(&value->oid, walk->root->count, index, sizeof index);
    /* What has no value is no row: names of what is something else, too.  One of a kind
     * that is not used is one that is not known. */
    if (value->kind == SNMP_NONE && walk->column == MAPPING_VALUE)
        box_rows_set_void(v->rows, (struct span){ index, size });
    if (value->kind != SNMP_NONE &&
        (walk->column == MAPPING_VALUE ||
         box_rows_has(v->rows, (struct span){ index, size })))
        box_rows_set(v->rows, (struct span){ index, size }, walk->column,
                     (struct span){ value->text, value->size });
}

static int values_add(struct snmp_visit *v, struct walk *walk, size_t count,
                      struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct box_value *value = &v->values[i];
        if (value->kind == SNMP_END || !box_oid_is_below(&value->oid, walk->root)) {
            walk->is_end = true;
            return 0;
        }
        if (box_oid_compare(&value->oid, &walk->at) <= 0)
            return err_set(err, EPROTO, "its objects do not increase");
        walk->at = value->oid;
        if (walk->count++ ==
            (walk->column == MAPPING_VALUE ? BOX_ROWS_MAX : WALK_MAX)) {
            v->rows->lost++;
            walk->is_end = true;
            return 0;
        }
        cell_add(v, walk, value);
    }
    return count > 0 ? 0 : err_set(err, EPROTO, "a response has no objects");
}

static int column_walk(struct snmp_visit *v, const struct mapping_table *table,
                       enum mapping_column column, struct err *err)
{
    struct walk walk = { .root = &table->oid[column],
                         .at = table->oid[column],
                         .column = column };
    int rc = 0;
    while (rc == 0 && !walk.is_end) {
        size_t count = 0;
        rc = box_session_bulk(v->session, &walk.at, v->values, &count, err);
        if (rc == 0)
            rc = values_add(v, &walk, count, err);
    }
    return err_prefix(err, rc, "%s", table->column[column]);
}

static int snmp_table_read(void *arg, const struct mapping_table *table,
                           struct box_rows *rows, struct err *err)
{
    struct snmp_visit *v = arg;
    int rc = 0;
    v->rows = rows;
    for (size_t i = 0; i < MAPPING_COLUMN_COUNT && rc == 0; i++)
        if (table->column[i][0])
            rc = column_walk(v, table, (enum mapping_column)i, err);
    return rc;
}

int box_snmp_read(const struct bmc_target *target, struct bmc_report *report,
                  struct err *err)
{
    AUTO_FREE struct snmp_visit *v = calloc(1, sizeof *v);
    AUTO(box_session_close) struct box_session *session = NULL;
    if (!v)
        return err_set(err, ENOMEM, "out of memory");
    int rc = box_session_open(target, &session, &report->is_away, err);
    v->session = session;
    if (rc == 0) {
        rc = box_tables_read(target->section, snmp_table_read, v, report, err);
        report->is_away = rc == -ETIMEDOUT && !box_session_has_responded(session);
    }
    return err_prefix(err, rc, "%s (box %s)", target->host, target->address);
}
