/* SPDX-License-Identifier: Apache-2.0 */
/* session_dir - the directory of one session of a user: its name, her plugins, its
 * data.
 *
 *     ~/.local/share/barograph/sessions/step0.job-4711.weather/
 *         session.db      what it found
 *         plugins/        copies: all nodes run the same, whatever is edited meanwhile
 *         control.sock    by which its owner queries it (control_listener)
 *         site.numbers    the events that the site was sent (site_report)
 *     and of one that was started without a command (service_state):
 *         control.start, control.state, control.lock, control.log
 */
#ifndef JOBSESSION_SESSION_DIR_H
#define JOBSESSION_SESSION_DIR_H

#include "base/err.h"
#include "base/strbuf.h"

struct session_dir {
    struct strbuf name, path, plugins, database, numbers;
};

/* name: NULL: of Slurm's job, or of the time.  path: NULL: by the name, below
 * XDG_DATA_HOME.  What is there already is left, and an error; a name that we choose is
 * another then.  ret->path is whole, without links.  Errors: -EINVAL (the name),
 * -EEXIST, -EPERM (path is of another user, or others may write it), of mkdir, with a
 * line in err.
 */
int session_dir_make(const char *name, const char *path, struct session_dir *ret,
                     struct err *err);
/* One that is there.  NULL, a name or a path as above; a name with '/' in it is a path.
 * Errors: -EINVAL, -ENOENT, -EPERM, -EACCES (another user's), of open. */
int session_dir_open(const char *name, const char *path, struct session_dir *ret,
                     struct err *err);
void session_dir_done(struct session_dir *dir);
DEFINE_AUTO_DONE(struct session_dir, session_dir_done);

/* Plugins that were copied are no more. */
int session_dir_remove_plugins(const struct session_dir *dir, struct err *err);
/* Copy a plugin, or those of a directory.  Errors: -EINVAL (none is there), of open. */
int session_dir_copy_plugins(const struct session_dir *dir, const char *from,
                             struct err *err);

#endif
