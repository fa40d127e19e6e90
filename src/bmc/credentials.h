/* SPDX-License-Identifier: Apache-2.0 */
/* credentials - a file of mode 0600 with what a section's targets are shown.
 *
 *     BMCs, REST    the user's name, its password
 *     SNMP 3        the user's name, its password of authentication, that of privacy
 *     SNMP 2c       the community
 *
 * a line each.  Threads: any.
 */
#ifndef BMC_CREDENTIALS_H
#define BMC_CREDENTIALS_H

#include "bmc/target.h"

/* Into the section.  Errors: -EINVAL, -EACCES (others can read it), what reading
 * returns, -ENOMEM. */
int bmc_credentials_read(struct bmc_section *section, struct err *err);
/* Overwritten, then freed. */
void bmc_credentials_done(struct bmc_section *section);

#endif
