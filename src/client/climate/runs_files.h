/* SPDX-License-Identifier: Apache-2.0 */
/* runs_files - tables of runs that a command was given: files, or a barod.
 *
 *     jobs.csv           stays what it is
 *     barod, unix:...    its summaries, as CSV in a file without a name
 */
#ifndef CLIENT_CLIMATE_RUNS_FILES_H
#define CLIENT_CLIMATE_RUNS_FILES_H

#include "base/cleanup.h"
#include "base/err.h"

struct client_endpoint;

#define RUNS_FILES_TRUNCATED_BYTES 256

struct runs_files {
    char **paths; /* to be read; those of a barod as /proc/self/fd/N */
    int *fds;     /* -1: a file of its own name */
    size_t count;
    const char *truncated; /* the name of a barod that has more runs; NULL: none */
};

/* names outlive *ret.  endpoint: what "barod" means; NULL: as the environment says.
 * After a failure, too, *ret is to be done with.
 * Errors: those of client/http.h, what writing a file says, -ENOMEM. */
int runs_files_open(const char *const *names, size_t count,
                    const struct client_endpoint *endpoint, struct runs_files *ret,
                    struct err *err);
void runs_files_done(struct runs_files *files);
DEFINE_AUTO_DONE(struct runs_files, runs_files_done);

/* One line for the user about a barod that has more runs than were requested; cut at
 * size, of which RUNS_FILES_TRUNCATED_BYTES are enough for most names. */
void runs_files_truncated_text(const char *name, char *out, size_t size);

#endif
