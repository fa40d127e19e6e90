/* SPDX-License-Identifier: Apache-2.0 */
/* series_names - lists of the series that samples of a queue are of, on disk.
 *
 *     series ─▶ number          the list of this run grows: dir/series-<number of list>
 *     list, number ─▶ path, metric        also of lists that earlier runs have left
 *
 * A series is in the file before a number of it is given out, so that each record of a
 * queue can be read after a crash.  A list is removed when no record of it is left.
 * File     name_list.h
 * Threads  series_names_number(), _store() and _get(): any, under the caller's lock;
 * the rest belongs to the thread that sends.
 */
#ifndef FORWARD_SERIES_NAMES_H
#define FORWARD_SERIES_NAMES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "forward/name_list.h"
#include "model/model.h"

#define SERIES_UNWANTED UINT32_MAX

/* What a program knows of a series; the texts stay. */
typedef void series_describe_fn(void *arg, const struct level_series *series,
                                struct series_name *ret);
/* Whether a metric is forwarded at all. */
typedef bool series_wanted_fn(void *arg, struct span metric);

struct series_names_opts {
    const char *dir; /* is there, and outlives it */
    series_describe_fn *describe;
    void *describe_arg;
    series_wanted_fn *is_wanted;
    void *wanted_arg;
};

struct series_names;

/* Begin a list, behind those that are there.  Errors: those of files, -ENOMEM. */
int series_names_new(const struct series_names_opts *opts, struct series_names **ret,
                     struct err *err);
void series_names_free(struct series_names *names);
DEFINE_AUTO(struct series_names, series_names_free);

/* The list that grows. */
uint64_t series_names_list(const struct series_names *names);

/* The number of a series in it, or SERIES_UNWANTED.  One that is new goes to the file
 * with series_names_store(), before any record has its number.  Errors: -ENOMEM,
 * -EOVERFLOW. */
int series_names_number(struct series_names *names, const struct level_series *series,
                        uint32_t *ret);
/* Errors: those of write(2); then the same is tried again the next time. */
int series_names_store(struct series_names *names);
/* Everything that was stored before is on the disk.  Not under the caller's lock, one
 * at a time.  Errors: those of fdatasync; then the next one tries again. */
int series_names_sync(struct series_names *names, struct err *err);

/* Begin to read a list; every list before it is removed.
 * Errors: -ENOENT (it is gone), -EBADMSG, those of files. */
int series_names_open(struct series_names *names, uint64_t list, struct err *err);
/* Of the list that was opened.  False: it has no such number. */
bool series_names_get(const struct series_names *names, uint32_t number,
                      struct series_name *ret);
/* Every list but the one that grows is removed: no record of them is left. */
void series_names_forget(struct series_names *names);

#endif
