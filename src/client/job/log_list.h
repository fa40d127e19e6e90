/* SPDX-License-Identifier: Apache-2.0 */
/* log_list - the logs that operands name: files, and what is in directories. */
#ifndef CLIENT_JOB_LOG_LIST_H
#define CLIENT_JOB_LOG_LIST_H

#include "base/arena.h"
#include "base/err.h"
#include "client/series/series.h"

#define LOG_LIST_MAX ((size_t)1 << 24)
#define LOG_LIST_DEPTH_MAX 64

struct log_list {
    struct arena arena;
    const char **paths;
    size_t count, capacity;
    bool is_walked; /* a directory was among the operands */
};

/* A file is taken whatever it is called; of a directory, and of those in it, regular
 * files named *.darshan and records of probes, in the order of their names.  A record
 * becomes two names, one for each phase (probe_run.h); logs beside it are the same
 * runs, and passed over.  Links are not followed there.
 * Errors: -ENOMEM, -EFBIG (more than LOG_LIST_MAX). A directory that cannot be read is
 * reported to log, which may be NULL, and passed over; *ret_unread counts them. */
int log_list_make(char *const *operands, size_t count, struct log_list *ret,
                  size_t *ret_unread, series_log_fn *log, void *log_arg,
                  struct err *err);
/* Each path as it is called from everywhere; one that is not there stays as it is.
 * Errors: -ENOMEM. */
int log_list_resolve(struct log_list *list, struct err *err);
/* Drop those that is_known() knows; the others stay in their order.  Returns how many.
 */
size_t log_list_drop(struct log_list *list,
                     bool (*is_known)(void *arg, const char *log), void *arg);
void log_list_done(struct log_list *list);
DEFINE_AUTO_DONE(struct log_list, log_list_done);

#endif
