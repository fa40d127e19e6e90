/* SPDX-License-Identifier: Apache-2.0 */
/* check - baro-agent --check: what can be read, sent and written, and what is missing.
 *
 *     check_sources, check_server, check_dir ──▶ struct check_result ──▶ check_print
 *
 * It makes nothing: what it would make would be the wrong user's.
 * Threads  one at a time.
 */
#ifndef AGENT_CHECK_CHECK_H
#define AGENT_CHECK_CHECK_H

#include "agent/check/check_server.h"

#include <limits.h>
#include <stdio.h>

/* A directory below root, for source = files. */
struct check_place {
    char path[PATH_MAX];
    int error; /* 0: it can be read; EACCES: a privilege is missing */
};

struct check_target {
    char name[TARGET_BYTES_MAX + 1];
    bool is_read;
    char complaint[256]; /* why it is not */
    uint64_t entries;
    size_t size_bytes;
    bool counts_from_boot; /* its times do */
    int64_t cleanup_s;     /* job_cleanup_interval; -1: cannot be read */
};

struct check_sources {
    struct check_place places[3];
    size_t place_count;
    int error; /* the list cannot be read: -errno of starting the program */
    char complaint[256];
    struct check_target *targets;
    size_t target_count;
};

enum check_dir_state {
    CHECK_DIR_WRITABLE,
    CHECK_DIR_BARRED,      /* error has the reason */
    CHECK_DIR_TO_BE_MADE,  /* it is not there, and can be made in above */
    CHECK_DIR_CANNOT_MAKE, /* it is not there, and cannot */
};

struct check_dir {
    const char *what, *path;
    enum check_dir_state state;
    int error;
    char above[PATH_MAX]; /* the nearest directory that is there */
    bool is_units;        /* the service's unit makes it at its first start */
};

struct check_result {
    const struct agent_opts *opts;
    struct check_sources sources;
    struct check_server server;
    struct check_dir dirs[2];
};

/* opts must outlive the result.  What is wrong is in the result.  Errors: -ENOMEM. */
int agent_check(const struct agent_opts *opts, struct check_result *ret);
void check_result_done(struct check_result *result);
DEFINE_AUTO_DONE(struct check_result, check_result_done);

struct check_dir check_dir(const char *what, const char *path);

/* Would a service run with what was found? */
bool check_is_good(const struct check_result *result);
void check_print(const struct check_result *result, struct strbuf *out);

/* Check and print as the service's user (NULL: the unit's), where root runs it; the
 * first line states as whom.  Returns an exit status. */
int agent_check_as(const char *user, const struct agent_opts *opts, FILE *out);

#endif
