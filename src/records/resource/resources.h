/* SPDX-License-Identifier: Apache-2.0 */
/* resources - statements about the health of components: stored, found, their history.
 */
#ifndef RECORDS_RESOURCES_H
#define RECORDS_RESOURCES_H

#include "records/jobs.h"

/* All of statements, and of the history what they change, in one durable transaction;
 * what is submitted again changes nothing (resource_statement_holds).  Each has a time.
 * Refused one by one: what resource_statement_check() refuses, and a time still to
 * come.  Errors: -EMSGSIZE (over RECORDS_STATEMENTS_MAX), else as in records.h. */
#define RECORDS_STATEMENTS_MAX ((size_t)200000)
int records_put_resources(struct records *records,
                          const struct resource_statement *statements, size_t count,
                          int64_t now_ms, struct records_submission *ret,
                          struct err *err);

/* statement is valid during the call. */
typedef int records_statement_fn(void *arg, const struct resource_statement *statement);

/* What holds now, by component and source.  A negative return of fn ends the reading
 * and is returned; 1 ends it well.  Errors: as in records.h. */
int records_find_resources(struct records_reader *reader, records_statement_fn *fn,
                           void *arg, struct err *err);

/* The same of one component, and all below it. */
int records_find_resources_of(struct records_reader *reader, struct span component,
                              records_statement_fn *fn, void *arg, struct err *err);

struct resource_change_filter {
    struct span component;  /* it, and all below it; data NULL: any */
    struct span source;     /* data NULL: any */
    int64_t from_ns, to_ns; /* [from, to) */
    size_t limit;           /* the newest so many; 0: all */
};

/* The newest first.  *ret_has_more: there were more than the limit. */
int records_find_resource_changes(struct records_reader *reader,
                                  const struct resource_change_filter *filter,
                                  records_statement_fn *fn, void *arg,
                                  bool *ret_has_more, struct err *err);

/* The history until to_ns, and that of before any range, by component, source and time:
 * of component and all below it; data NULL: of all. */
int records_scan_resource_changes(struct records_reader *reader, struct span component,
                                  int64_t to_ns, records_statement_fn *fn, void *arg,
                                  struct err *err);

#endif
