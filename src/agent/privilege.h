/* SPDX-License-Identifier: Apache-2.0 */
/* privilege - capabilities that are for the reading children only, or for the start. */
#ifndef AGENT_PRIVILEGE_H
#define AGENT_PRIVILEGE_H

#include "agent/config.h"
#include "agent/report.h"

/* Open what needs one (opts->node: kernel_fd, energy); then hand inherited capabilities
 * on to children, and use none; root keeps what it has. */
void agent_drop_privilege(struct agent_opts *opts, const struct agent_report *report);

#endif
