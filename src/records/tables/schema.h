/* SPDX-License-Identifier: Apache-2.0 */
/* schema - what both engines' tables have in common: their version and columns.
 *
 * doc/formats/records.md describes the tables for people with psql or Grafana.
 */
#ifndef RECORDS_TABLES_SCHEMA_H
#define RECORDS_TABLES_SCHEMA_H

#include "base/err.h"
#include "base/strbuf.h"
#include "model/model.h"

#define SCHEMA_VERSION 13
/* The oldest that has all tables which readers use: rows, series, hours. */
#define SCHEMA_VERSION_READABLE 3
/* The index of time_series_id is sorted by (sid >> this, time_series_id): ids are
 * random, and new ones must not be spread over an index of all of them.  A part of the
 * schema: another value is another version. */
#define SCHEMA_ID_GROUP_BITS 14

/* Errors: -EBADMSG (the version is none that this program knows). */
int schema_version_check(int64_t version, struct err *err);
/* For a reader; version 0: there are no tables of ours.
 * Errors: as schema_version_check, and -ENODATA. */
int schema_version_check_readable(int64_t version, struct err *err);

/* Appends `, "open"TYPE, "open_sum"TYPE ...` for each operation of kind in ops. */
void schema_add_ops(struct strbuf *out, enum target_kind kind, uint64_t ops,
                    const char *type);
/* The mask of all operations of kind. */
uint64_t schema_ops(enum target_kind kind);

#endif
