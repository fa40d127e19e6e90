/* SPDX-License-Identifier: Apache-2.0 */
/* submissions - jobs and summaries from the ways in to the records. */
#ifndef DAEMON_SUBMISSIONS_H
#define DAEMON_SUBMISSIONS_H

#include "daemon/parts.h"

/* Registers the ways in; rooms must outlive them.  Errors: -ENOMEM. */
int submissions_new(struct daemon_parts *parts, struct submission_routes **ret);

#endif
