/* SPDX-License-Identifier: Apache-2.0 */
/* check - barod --check: all that can be wrong before anything listens; nothing is
 * made.
 */
#ifndef DAEMON_CHECK_H
#define DAEMON_CHECK_H

#include "daemon/steps.h"

/* setup is loaded.  out receives the lines for a person where all is good.  The caller
 * calls daemon_stop(), on failure too.  Errors: as daemon_start(). */
int check_daemon(struct daemon *d, struct strbuf *out, struct err *err);

#endif
