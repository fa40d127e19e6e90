/* SPDX-License-Identifier: Apache-2.0 */
/* start_file - the options that a session was started with, in its directory.
 *
 *     control.start   [start]  as they were given, so that the same command goes on,
 *                     and another one does not
 *                     [found]  what they came to by the environment: the agent's
 * socket, the parent, the job
 *
 * Threads  one.
 */
#ifndef JOBSESSION_START_FILE_H
#define JOBSESSION_START_FILE_H

#include "jobsession/own_session.h"

/* Opts with texts of its own; opts.site is &site. */
struct start_file {
    struct own_session_opts opts;
    struct client_endpoint site;
    struct config *config;
};

/* Paths are made whole by the directory that this is called in.  Errors: -EINVAL (a
 * text that no line can hold), -ENOMEM. */
int start_file_print(const struct own_session_opts *opts, struct strbuf *out,
                     struct err *err);
/* Write it.  Errors: as above, those of writing. */
int start_file_write(const struct session_dir *dir, const struct own_session_opts *opts,
                     struct err *err);
/* Errors: -ENOENT (there is none), -EBADMSG (damaged), -ENOMEM. */
int start_file_read(const struct session_dir *dir, struct start_file *ret,
                    struct err *err);
/* As the file would have them, without one: the process has another directory, and the
 * first start is as each that follows.  Errors: those of print; -EBADMSG. */
int start_file_resolve(const struct own_session_opts *opts, struct start_file *ret,
                       struct err *err);
/* Are opts, which were given now, those of the file?  Errors: as above; -EINVAL (they
 * are not). */
int start_file_compare(const struct session_dir *dir,
                       const struct own_session_opts *opts, struct err *err);
/* Has a person given any options at all? */
bool start_file_is_default(const struct own_session_opts *opts);
void start_file_done(struct start_file *file);
DEFINE_AUTO_DONE(struct start_file, start_file_done);

#endif
