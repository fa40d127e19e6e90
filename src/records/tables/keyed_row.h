/* SPDX-License-Identifier: Apache-2.0 */
/* keyed_row - a row on its way into the tables, with its key. */
#ifndef RECORDS_TABLES_KEYED_ROW_H
#define RECORDS_TABLES_KEYED_ROW_H

#include "model/model.h"

struct keyed_row {
    const struct jobrow *row;
    int64_t sid;
    int32_t server_id; /* 0: the row names no server */
    uint32_t index;    /* in the batch */
    bool is_new;       /* set by the engine: its key was not in the table */
};

#endif
