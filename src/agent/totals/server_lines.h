/* SPDX-License-Identifier: Apache-2.0 */
/* server_lines - CPU, memory and load of this server as line protocol.
 *
 *     server_load,cluster=lustre,hostname=oss01 value=0.5 1669010520000000000
 *
 * Threads  one at a time.
 */
#ifndef AGENT_TOTALS_SERVER_LINES_H
#define AGENT_TOTALS_SERVER_LINES_H

#include "base/cleanup.h"
#include "base/strbuf.h"

struct server_lines;

/* The texts must outlive it.  Errors: -ENOMEM. */
int server_lines_new(const char *cluster, const char *host, struct server_lines **ret);
void server_lines_free(struct server_lines *lines);
DEFINE_AUTO(struct server_lines, server_lines_free);

/* Out of proc below root; shares of the CPU from the second time on.  What is not there
 * is left out; a failure of the memory is out's. */
void server_lines_add(struct server_lines *lines, int64_t t_ns, const char *root,
                      struct strbuf *out);

#endif
