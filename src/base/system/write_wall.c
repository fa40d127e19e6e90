/* SPDX-License-Identifier: Apache-2.0 */
/* write_wall - a process that changes no file but below one directory (Landlock). */
#include "base/system/write_wall.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Without <linux/landlock.h>, which is older than the kernel may be. */
#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446
#define LANDLOCK_VERSION 1U
#define LANDLOCK_BELOW 1
#define VERSION_MIN 2 /* links and renames between directories */

/* Write, remove, make of each kind, link between directories; truncate since 3. */
#define RIGHTS UINT64_C(0x3FF2)
#define RIGHT_TRUNCATE UINT64_C(0x4000)

struct rule {
    uint64_t rights;
    int32_t directory;
} __attribute__((packed));

int write_wall_enter(const char *directory)
{
    long version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_VERSION);
    if (version < VERSION_MIN)
        return 0;
    uint64_t rights = version < 3 ? RIGHTS : RIGHTS | RIGHT_TRUNCATE;
    AUTO_CLOSE int below = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (below < 0)
        return -errno;
    AUTO_CLOSE int rules = (int)syscall(LANDLOCK_CREATE, &rights, sizeof rights, 0);
    const struct rule rule = { rights, below };
    if (rules < 0 || syscall(LANDLOCK_ADD, rules, LANDLOCK_BELOW, &rule, 0) < 0 ||
        syscall(LANDLOCK_RESTRICT, rules, 0) < 0)
        return -errno;
    return 0;
}
