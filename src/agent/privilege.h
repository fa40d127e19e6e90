/* SPDX-License-Identifier: Apache-2.0 */
/* privilege - capabilities that are for the reading children only. */
#ifndef AGENT_PRIVILEGE_H
#define AGENT_PRIVILEGE_H

#include "base/err.h"

/* Hand inherited capabilities on to children, and use none; root keeps what it has.
 * Errors: what capset returns; then they are as they were. */
int agent_drop_privilege(struct err *err);

#endif
