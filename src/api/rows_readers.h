/* SPDX-License-Identifier: Apache-2.0 */
/* rows_readers - what a worker reads the database with, from one query to the next;
 * private to api.
 *
 * Threads  one worker's.
 */
#ifndef API_ROWS_READERS_H
#define API_ROWS_READERS_H

#include "query/query.h"

/* All zero: not open. */
struct rows_readers {
    struct history_readers readers;
    struct history history;
};

/* Nothing happens where they are open.  Errors: as records_reader_open(). */
int rows_readers_open(struct rows_readers *r, struct records *records, struct err *err);
void rows_readers_close(struct rows_readers *r);

#endif
