/* SPDX-License-Identifier: Apache-2.0 */
/* service_user - barod --check judges as the service's user.
 *
 * What root may read and write says nothing of the service.  So a check that root
 * starts runs in a child that has become that user.
 */
#ifndef CMD_SERVICE_USER_H
#define CMD_SERVICE_USER_H

#include <stdbool.h>

/* name NULL: barograph, where the configuration is the one in /etc/barograph and that
 * user exists.  True: the check is over, *ret_status is its outcome.  False: go on; as
 * that user in the child, or as who asked. */
bool service_user_check(const char *config, const char *name, int *ret_status);

#endif
