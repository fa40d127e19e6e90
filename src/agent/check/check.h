/* SPDX-License-Identifier: Apache-2.0 */
/* check - baro-agent --check: what can be read, sent and written, and what is missing.
 */
#ifndef AGENT_CHECK_CHECK_H
#define AGENT_CHECK_CHECK_H

#include "agent/config.h"

#include <stdio.h>

/* What each source can read, whether the server accepts us, whether state and spool can
 * be written; it makes nothing.  Prints to out, returns an exit status. */
int agent_check(const struct agent_opts *opts, FILE *out);
/* The same as the service's user (NULL: the unit's), where root runs it; prints as
 * whom. */
int agent_check_as(const char *user, const struct agent_opts *opts, FILE *out);
/* The part of it that asks the server. */
int agent_check_server(const struct agent_opts *opts, FILE *out);

#endif
