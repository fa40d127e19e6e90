/* SPDX-License-Identifier: Apache-2.0 */
/* lctl - stands in for Lustre's lctl on one simulated server. */
#ifndef SIM_LCTL_H
#define SIM_LCTL_H

#include "params.h"

/* argv begins with the lctl command ("get_param", "list_param").  Returns an
 * exit status: 0, 2 (nothing matches, as lctl says ENOENT), or another errno.
 */
int sim_lctl(const struct sim *sim, size_t server, int64_t t_ns, int argc, char **argv);

/* The server's parameters as files: below ROOT/proc/fs/lustre and
 * ROOT/sys/fs/lustre.
 */
int sim_materialise(const struct sim *sim, size_t server, int64_t t_ns,
                    const char *root, struct err *err);

#endif
