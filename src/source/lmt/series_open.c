/* SPDX-License-Identifier: Apache-2.0 */
/* series_open - which format a file is of, by its first bytes. */
#include "source/lmt/database_mysql.h"
#include "source/lmt/series_format.h"

#include <fcntl.h>

static int head_read(const char *path, char head[static 16], struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    ssize_t size = read(fd, head, 16);
    if (size < 0)
        return err_set(err, errno, "%s: %s", path, strerror(errno));
    memset(head + size, 0, 16 - (size_t)size);
    return 0;
}

int lmt_series_open(const char *path, const struct lmt_opts *opts,
                    struct lmt_series **ret, struct err *err)
{
    static const struct lmt_opts none = { 0 };
    char head[16] = { 0 };
    bool is_mysql = strncmp(path, LMT_MYSQL_PREFIX, strlen(LMT_MYSQL_PREFIX)) == 0;
    int rc = is_mysql ? 0 : head_read(path, head, err);
    if (rc < 0)
        return rc;
    void *state = NULL;
    const struct lmt_format *format = NULL;
    if (is_mysql)
        rc = lmt_mysql_open(path + strlen(LMT_MYSQL_PREFIX), opts ? opts : &none,
                            &state, &format, err);
    else if (memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0)
        rc = lmt_hdf5_open(path, opts ? opts : &none, &state, &format, err);
    else if (memcmp(head, "SQLite format 3", 16) == 0)
        rc = lmt_database_open(path, opts ? opts : &none, &state, &format, err);
    else
        rc = err_set(err, EBADMSG, "%s: neither HDF5 nor SQLite", path);
    if (rc < 0)
        return rc;
    rc = lmt_series_new(format, format->name, state, ret, err);
    if (rc < 0)
        format->close(state);
    return rc;
}
