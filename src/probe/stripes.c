/* SPDX-License-Identifier: Apache-2.0 */
/* stripes - files of a probe lie on all targets, where lfs can say so. */
#include "probe/stripes.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define LUSTRE_SUPER_MAGIC 0x0BD00BD0 /* lustre_user.h, LL_SUPER_MAGIC */

static int start_lfs(const char *lfs, const char *dir, struct err *err)
{
    char program[] = "lfs", verb[] = "setstripe", count[] = "-c", all[] = "-1";
    char place[4096];
    (void)snprintf(place, sizeof place, "%s", dir);
    char *argv[] = { program, verb, count, all, place, NULL };
    pid_t pid;
    int errnum = posix_spawnp(&pid, lfs, NULL, NULL, argv, environ);
    if (errnum)
        return err_set(err, errnum, "start '%s': %s", lfs, strerror(errnum));
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "wait for '%s': %s", lfs, strerror(errno));
    if (status != 0)
        return err_set(err, EIO, "'%s setstripe -c -1 %s' failed", lfs, dir);
    return 0;
}

int stripes_set(const char *lfs, const char *dir, char ret[static STRIPES_BYTES],
                struct err *err)
{
    struct statfs fs;
    ret[0] = '\0';
    if (!lfs) {
        if (statfs(dir, &fs) < 0 || fs.f_type != LUSTRE_SUPER_MAGIC)
            return 0;
        lfs = "lfs";
    }
    int rc = start_lfs(lfs, dir, err);
    if (rc == 0)
        (void)snprintf(ret, STRIPES_BYTES, "-c -1");
    return rc;
}
