/* SPDX-License-Identifier: Apache-2.0 */
/* store_status - what barod says of its metric store, as a table. */
#include "client/store_status.h"

#include "base/json_reader.h"
#include "base/number.h"
#include "base/span.h"

#include <stdio.h>

enum { COLUMN_NAME, COLUMN_VALUE };

struct reading {
    struct table *table;
    bool is_store; /* inside of the member "store" */
    char key[64];
};

static int status_event(void *arg, enum json_event event, struct span text,
                        unsigned depth)
{
    struct reading *r = arg;
    if (event == JSON_KEY && depth == 0)
        r->is_store = span_is(text, "store");
    if (!r->is_store)
        return 0;
    if (event == JSON_KEY && depth == 1)
        (void)snprintf(r->key, sizeof r->key, SPAN_FMT, SPAN_ARG(text));
    if (event == JSON_STRING && depth == 2)
        table_add_note(r->table, "%s: " SPAN_FMT, r->key, SPAN_ARG(text));
    uint64_t value;
    if (event == JSON_NUMBER && depth == 2 && number_parse_u64(text, &value) == 0) {
        table_add_row(r->table);
        table_set_text(r->table, COLUMN_NAME, span_of(r->key));
        table_set_u64(r->table, COLUMN_VALUE, value);
    }
    return 0;
}

int store_status_read(struct span json, struct table *ret, struct err *err)
{
    struct reading reading = { .table = ret };
    table_add_column(ret, "what", TABLE_TEXT, "");
    table_add_column(ret, "value", TABLE_U64, "");
    int rc = json_read(json, status_event, &reading, err);
    if (rc == 0 && ret->row_count == 0)
        return err_set(err, ENOENT,
                       "this barod has no metric store: see barod.conf(5)");
    return rc < 0 ? rc : table_error(ret);
}
