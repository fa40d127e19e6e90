/* SPDX-License-Identifier: Apache-2.0 */
/* group - the number of a group of the system, by its name. */
#ifndef BASE_SYSTEM_GROUP_H
#define BASE_SYSTEM_GROUP_H

#include <sys/types.h>

/* The largest response of the name service that is read: some 2 million members. */
#define GROUP_BYTES_MAX ((size_t)64 << 20)

/* However many members the group has.
 * Errors: -ENOENT (there is no such group), -EMSGSIZE (over GROUP_BYTES_MAX), -ENOMEM;
 * errors of the name service (-EIO, -EMFILE ...). */
int group_find(const char *name, gid_t *ret);

#endif
