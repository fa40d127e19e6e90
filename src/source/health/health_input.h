/* SPDX-License-Identifier: Apache-2.0 */
/* health_input - one sample out of files and directories: the last ones, or at a time.
 *
 *     file: blocks of BEGIN, or one text ─┬▶ block ─▶ sample
 *     directory (health_dir): of each kind ┘
 */
#ifndef SOURCE_HEALTH_HEALTH_INPUT_H
#define SOURCE_HEALTH_HEALTH_INPUT_H

#include "source/health/health_dir.h"
#include "source/health/sample.h"

/* A line of path that could not be read. */
typedef void health_input_fault_fn(void *arg, const char *path, uint64_t line,
                                   struct span text, const char *reason);

struct health_input_opts {
    bool has_at; /* the last block at or before at_ns; else the last there is */
    int64_t at_ns;
    int64_t age_max_ns;              /* with has_at: an older one is an error */
    health_input_fault_fn *on_fault; /* NULL: bad lines are skipped */
    void *arg;
};

struct health_input {
    struct health_sample sample; /* its texts are those below */
    struct strbuf *texts;
    struct health_dir **dirs;
    size_t count;
};

/* The blocks of all paths in one sample.  After a failure, too, *ret is to be done
 * with.  Errors: what reading says, -ENOENT (no sample is of that time; a directory has
 * none), -EBADMSG (no line of any can be used), -EMSGSIZE (a file over 1 GiB), -ENOMEM.
 */
int health_input_open(char *const *paths, size_t count,
                      const struct health_input_opts *opts, struct health_input *ret,
                      struct err *err);
void health_input_done(struct health_input *input);
DEFINE_AUTO_DONE(struct health_input, health_input_done);

#endif
