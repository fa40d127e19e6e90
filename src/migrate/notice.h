/* SPDX-License-Identifier: Apache-2.0 */
/* notice - what a long run reports on its way: warnings, and how far it is. */
#ifndef MIGRATE_NOTICE_H
#define MIGRATE_NOTICE_H

/* One line for a person, without a line end.  The run goes on. */
typedef void migrate_warn_fn(void *arg, const char *text);

#endif
