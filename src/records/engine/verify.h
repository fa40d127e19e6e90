/* SPDX-License-Identifier: Apache-2.0 */
/* verify - the checks that hold in both engines, and how an engine reports its own.
 *
 * Threads  that of the caller.
 */
#ifndef RECORDS_ENGINE_VERIFY_H
#define RECORDS_ENGINE_VERIFY_H

#include "base/err.h"
#include "records/engine/statement.h"
#include "records/request/request.h"

struct records_engine;

struct verify {
    const struct records_engine *engine;
    records_fault_fn *fn;
    records_progress_fn *progress; /* NULL: none */
    void *arg;
    const struct records_opts *opts;
    struct records_verified counts;
    size_t check_count; /* that there are; 0: not known yet */
};

void verify_fault(struct verify *verify, const char *remedy, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A fault where sql, which counts what is wrong, does not return 0. */
int verify_number(struct verify *verify, const struct sql_conn *conn, const char *what,
                  const char *remedy, const char *sql, struct err *err);
/* What holds in both engines, of tables of that version. */
int verify_common(struct verify *verify, const struct sql_conn *conn, int64_t version,
                  struct err *err);

#endif
