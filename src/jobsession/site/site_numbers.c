/* SPDX-License-Identifier: Apache-2.0 */
/* site_numbers - the file with the highest number that an event for the site may have
 * been sent with. */
#include "jobsession/site/site_numbers.h"

#include "base/cleanup.h"
#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int numbers_open(const char *path, int flags, int *ret_fd, uint64_t *ret,
                        struct err *err)
{
    char text[NUMBER_DIGITS_MAX + 2];
    uint64_t number = 0;
    AUTO_CLOSE int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    ssize_t size = fd < 0 ? -1 : pread(fd, text, sizeof text, 0);
    if (size < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    struct span line = span_trim((struct span){ text, (size_t)size });
    bool is_new = size == 0 && (flags & O_CREAT);
    if (!is_new && number_parse_u64(line, &number) < 0)
        return err_set(err, EBADMSG, "'%s' is not a number", path);
    int rc = site_numbers_write(fd, number);
    if (rc < 0)
        return err_set(err, -rc, "'%s': %s", path, strerror(-rc));
    *ret = number;
    *ret_fd = TAKE_FD(fd);
    return 0;
}

int site_numbers_open(const char *path, int *ret_fd, uint64_t *ret, struct err *err)
{
    return numbers_open(path, O_CREAT, ret_fd, ret, err);
}

int site_numbers_write(int fd, uint64_t number)
{
    char text[NUMBER_DIGITS_MAX + 2];
    int size = snprintf(text, sizeof text, "%0*llu\n", NUMBER_DIGITS_MAX,
                        (unsigned long long)number);
    ssize_t written = pwrite(fd, text, (size_t)size, 0);
    if (written < 0)
        return -errno;
    return written == size ? 0 : -EIO;
}

int site_numbers_check(const char *path, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    uint64_t number;
    return numbers_open(path, 0, &fd, &number, err);
}
