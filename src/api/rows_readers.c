/* SPDX-License-Identifier: Apache-2.0 */
/* rows_readers - what a worker reads the database with. */
#include "api/rows_readers.h"

void rows_readers_close(struct rows_readers *r)
{
    records_reader_close(r->readers.rows);
    records_reader_close(r->readers.series);
    *r = (struct rows_readers){ 0 };
}

int rows_readers_open(struct rows_readers *r, struct records *records, struct err *err)
{
    if (r->readers.series)
        return 0;
    int rc = records_reader_open(records, &r->readers.rows, err);
    if (rc == 0)
        rc = records_reader_open(records, &r->readers.series, err);
    if (rc < 0)
        rows_readers_close(r);
    else
        history_of_records(&r->readers, &r->history);
    return rc;
}
