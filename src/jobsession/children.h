/* SPDX-License-Identifier: Apache-2.0 */
/* children - the sessions that were started in a session of a user's own.
 *
 *     DIR/children/NAME ─▶ the child's directory, whose control.state has its state
 *
 * A link each, which a child makes when it begins, and which stays: so one that is dead
 * is known as dead, and neither's end costs the other anything.
 * Bounds   CHILDREN_MAX of a session are listed.  Threads  any, one session at a time.
 */
#ifndef JOBSESSION_CHILDREN_H
#define JOBSESSION_CHILDREN_H

#include "base/err.h"
#include "base/strbuf.h"

struct table;

#define CHILDREN_MAX 1000

/* One of the same name gives way.  Errors: -EPERM (parent_dir is another user's), those
 * of mkdir and symlink. */
int children_add(const char *parent_dir, const char *name, const char *dir,
                 struct err *err);
/* Append the directory of a child.  Errors: -ENOENT (there is no such child),
 * -EACCES, -EINVAL. */
int children_find(const char *dir, const char *name, struct strbuf *ret);
/* "inner (running), other (dead)", or "none". */
void children_print(const char *dir, struct strbuf *out);
/* A row each: name, state, host, nodes, online, address, reason.  table is initialised
 * and empty. */
void children_table(const char *dir, struct table *ret);

#endif
