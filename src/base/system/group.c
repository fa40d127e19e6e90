/* SPDX-License-Identifier: Apache-2.0 */
/* group - the number of a group of the system, by its name. */
#include "base/system/group.h"

#include "base/cleanup.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>

#define BYTES_FIRST ((size_t)16 << 10) /* some 400 members */

/* -ERANGE: size is too small. */
static int group_lookup(const char *name, size_t size, gid_t *ret, bool *ret_is_found)
{
    AUTO_FREE char *buffer = malloc(size);
    struct group group, *found = NULL;
    int rc;
    if (!buffer)
        return -ENOMEM;
    do {
        rc = getgrnam_r(name, &group, buffer, size, &found);
    } while (rc == EINTR);
    *ret_is_found = rc == 0 && found;
    if (*ret_is_found)
        *ret = group.gr_gid;
    return -rc;
}

/* Modules of the name service differ in how they report an unknown name. */
static bool group_is_unknown(int rc)
{
    return rc == 0 || rc == -ENOENT || rc == -ESRCH || rc == -EBADF || rc == -EPERM;
}

int group_find(const char *name, gid_t *ret)
{
    for (size_t size = BYTES_FIRST; size <= GROUP_BYTES_MAX; size *= 2) {
        bool is_found = false;
        int rc = group_lookup(name, size, ret, &is_found);
        if (is_found)
            return 0;
        if (rc != -ERANGE)
            return group_is_unknown(rc) ? -ENOENT : rc;
    }
    return -EMSGSIZE;
}
