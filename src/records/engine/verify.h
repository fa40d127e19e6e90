/* SPDX-License-Identifier: Apache-2.0 */
/* verify - the checks that hold in both engines, and how an engine reports its own.
 *
 * Threads  none inside: of the thread that verifies.
 */
#ifndef RECORDS_ENGINE_VERIFY_H
#define RECORDS_ENGINE_VERIFY_H

#include "base/err.h"
#include "base/uuid.h"
#include "records/request/request.h"

struct records_engine;

struct verify {
    const struct records_engine *engine;
    records_fault_fn *fn;
    void *arg;
    const struct records_opts *opts;
    struct records_verified counts;
};

void verify_fault(struct verify *verify, const char *remedy, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The one number that a statement answers. */
typedef int verify_number_fn(void *conn, const char *sql, int64_t *ret,
                             struct err *err);
/* A fault where sql, which counts what is wrong, does not answer 0. */
int verify_number(struct verify *verify, verify_number_fn *number, void *conn,
                  const char *what, const char *remedy, const char *sql,
                  struct err *err);
typedef int verify_namespace_fn(void *arg, const struct uuid *ns);
typedef int verify_namespaces_fn(void *conn, verify_namespace_fn *fn, void *arg,
                                 struct err *err);
/* What holds in both engines. */
int verify_common(struct verify *verify, verify_number_fn *number,
                  verify_namespaces_fn *namespaces, void *conn, int64_t version,
                  struct err *err);

#endif
