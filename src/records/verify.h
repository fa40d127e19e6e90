/* SPDX-License-Identifier: Apache-2.0 */
/* verify - does what a database holds fit together?  A part of the door; nothing is
 * changed.
 *
 * The engine's own check, then what must hold between our tables: rows have a series
 * and a server, days know their rows, an id is that of its target and identifier, cells
 * have an hour.  Whether cells are what their rows add up to is for query to say.
 */
#ifndef RECORDS_VERIFY_H
#define RECORDS_VERIFY_H

#include "base/err.h"
#include "base/uuid.h"

#include <stdbool.h>
#include <stdint.h>

struct records_opts;

/* Texts are valid during the call. */
typedef void records_fault_fn(void *arg, const char *what, const char *remedy);

struct records_verified {
    uint64_t faults, checks;
    uint64_t series; /* whose ids were made again */
};

/* Errors: as records_open of a reader; faults are none. */
int records_verify(const struct records_opts *opts, records_fault_fn *fn, void *arg,
                   struct records_verified *ret, struct err *err);

/* ---- for engines ---- */

struct verify {
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
