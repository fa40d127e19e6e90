/* SPDX-License-Identifier: Apache-2.0 */
/* opinions - what the plugins of a session state comes to one opinion about each node.
 *
 *     session/n1/dimm:3 degraded by ecc, session/n1 up by ping ─▶ n1 degraded:
 *                                                                 "dimm:3: ecc: 14
 * errors"
 *
 * The worst of a node counts, as everywhere.  Only what changes is an opinion: that a
 * node is well is none before something was stated against it.
 * Bounds   OPINIONS_CHECKS_MAX.  Threads  one.
 */
#ifndef JOBSESSION_OPINIONS_H
#define JOBSESSION_OPINIONS_H

#include "base/cleanup.h"
#include "model/model.h"

#define OPINIONS_CHECKS_MAX 65536

struct opinions;

int opinions_new(struct opinions **ret); /* Errors: -ENOMEM. */
void opinions_free(struct opinions *opinions);
DEFINE_AUTO(struct opinions, opinions_free);

/* 1: the opinion about its node is another one now; ret has it as the line of a
 * statement, whose component is session/HOST.  0: it is the same.
 * Errors: -EINVAL (not below a host), -ENOSPC, -ENOMEM: it has no effect. */
int opinions_accept(struct opinions *opinions,
                    const struct resource_statement *statement, struct strbuf *ret);

#endif
