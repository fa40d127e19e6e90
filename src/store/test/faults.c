/* SPDX-License-Identifier: Apache-2.0 */
/* faults - a disk that fails when it is told to, put before the C library by a test.
 *
 * While the file named by FAULT_SYNC is there, fdatasync() fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/syscall.h>

int fdatasync(int fd)
{
    const char *path = getenv("FAULT_SYNC");
    if (path && access(path, F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}
