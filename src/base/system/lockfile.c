/* SPDX-License-Identifier: Apache-2.0 */
/* lockfile - a file that one process holds, and that names it. */
#include "base/system/lockfile.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PID_TEXT_MAX 24

static int report_holder(const char *path, int fd, struct err *err)
{
    char text[PID_TEXT_MAX];
    uint64_t pid;
    ssize_t size = pread(fd, text, sizeof text, 0);
    struct span line = { text, size > 0 ? (size_t)size : 0 };
    if (number_parse_u64(span_trim(line), &pid) < 0)
        return err_set(err, EBUSY, "'%s' is held by another process", path);
    return err_set(err, EBUSY, "'%s' is held by process %llu", path,
                   (unsigned long long)pid);
}

int lockfile_take(const char *path, int *ret_fd, struct err *err)
{
    char text[PID_TEXT_MAX];
    AUTO_CLOSE int fd =
        open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return err_set(err, -file_error(errno), "open '%s': %s", path, strerror(errno));
    int rc = file_lock(fd);
    if (rc == -EBUSY)
        return report_holder(path, fd, err);
    if (rc < 0)
        return err_set(err, -rc, "lock '%s': %s", path, strerror(-rc));
    int size = snprintf(text, sizeof text, "%lld\n", (long long)getpid());
    /* Whom it names is for people: a full disk must not prevent a start. */
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, text, (size_t)size, 0);
    *ret_fd = fd;
    fd = -1;
    return 0;
}
