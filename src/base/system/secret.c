/* SPDX-License-Identifier: Apache-2.0 */
/* secret - files that only their owner may read, and texts with passwords in them. */
#include "base/system/secret.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/span.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

static int judge(int fd, const char *path, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_set(err, errno, "stat '%s': %s", path, strerror(errno));
    if (st.st_uid != 0 && st.st_uid != geteuid())
        return err_set(err, EACCES,
                       "'%s' holds a secret and is user %u's: it has to be root's, or "
                       "user %u's, whose program this is (chown)",
                       path, (unsigned)st.st_uid, (unsigned)geteuid());
    mode_t most = st.st_uid == 0 ? S_IRWXU | S_IRGRP : S_IRWXU;
    if (st.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO) & ~most)
        return err_set(err, EACCES,
                       "'%s' holds a secret and others may read or change it (mode "
                       "%04o): chmod 600 '%s'",
                       path, (unsigned)st.st_mode & 07777, path);
    return 0;
}

static int open_secret(const char *path, int *ret_fd, struct err *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return err_set(
            err, EACCES,
            "open '%s': %s: user %u, whose program this is, has to be able to "
            "read it (a service: chgrp its group, chmod 640)",
            path, strerror(EACCES), (unsigned)geteuid());
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    int rc = judge(fd, path, err);
    if (rc < 0)
        return rc;
    *ret_fd = fd;
    fd = -1;
    return 0;
}

int secret_check(const char *path, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    return open_secret(path, &fd, err);
}

int secret_read(const char *path, size_t size_max, struct strbuf *buf, struct err *err)
{
    AUTO_CLOSE int fd = -1;
    int rc = open_secret(path, &fd, err);
    if (rc < 0)
        return rc;
    rc = file_read_fd(fd, size_max, buf);
    if (rc == -EMSGSIZE)
        return err_set(err, EMSGSIZE, "'%s' is over %zu bytes", path, size_max);
    return rc < 0 ? err_set(err, -rc, "read '%s': %s", path, strerror(-rc)) : 0;
}

int secret_create(const char *path, struct span text, struct err *err)
{
    AUTO_FREE char *copy = strdup(path);
    AUTO_CLOSE int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return err_set(err, errno, "create '%s': %s", path, strerror(errno));
    int rc = copy ? file_write_all(fd, text.data, text.size) : -ENOMEM;
    if (rc == 0)
        rc = file_write_all(fd, "\n", 1);
    if (rc == 0 && fsync(fd) < 0)
        rc = -errno;
    if (rc < 0) {
        (void)unlink(path);
        return err_set(err, -rc, "write '%s': %s", path, strerror(-rc));
    }
    return file_sync_dir(dirname(copy), err);
}

/* ---- texts ---- */

enum form {
    FORM_PAIRS, /* "host=h password=a&b": a value ends at a blank */
    FORM_URL,   /* "//h/x?password=a&b=c": at "&", too */
};

static bool is_blank(char c)
{
    return isspace((unsigned char)c);
}

static bool is_end(char c, enum form form)
{
    return is_blank(c) || (form == FORM_URL && (c == '&' || c == '"' || c == '#'));
}

/* What the word is that has a name at this place. */
static enum form form_at(struct span text, size_t at)
{
    while (at > 0 && !is_blank(text.data[at - 1])) {
        at--;
        if (span_starts(span_skip(text, at), "://"))
            return FORM_URL;
    }
    return FORM_PAIRS;
}

/* Of "password = 'a \' b'", "password=a" and "?password=a&...", behind the name. */
static size_t value_size(struct span text, enum form form, size_t *ret_begin)
{
    size_t at = 0;
    while (at < text.size && text.data[at] == ' ')
        at++;
    if (at == text.size || text.data[at] != '=')
        return 0;
    at++;
    while (at < text.size && text.data[at] == ' ')
        at++;
    size_t end = at;
    bool is_quoted = at < text.size && text.data[at] == '\'';
    for (end += is_quoted; end < text.size; end++) {
        if (text.data[end] == '\\' && end + 1 < text.size)
            end++;
        else if (is_quoted ? text.data[end] == '\'' : is_end(text.data[end], form))
            break;
    }
    end += is_quoted && end < text.size;
    *ret_begin = at;
    return end > at ? end - at : 0;
}

/* Behind "://": what stands between the first colon and the last "@" before the path.
 */
static size_t url_size(struct span text, size_t *ret_begin)
{
    size_t colon = 0, at = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c == '/' || c == '?' || c == '#' || is_blank(c))
            break;
        if (c == ':' && colon == 0)
            colon = i + 1;
        if (c == '@')
            at = i;
    }
    if (at == 0)
        return 0;
    /* A user without a password may be a token: "nats://TOKEN@host". */
    *ret_begin = colon && colon <= at ? colon : 0;
    return at - *ret_begin;
}

/* The next password from *at on; false: there is none. */
static bool find(struct span text, size_t *at, size_t *ret_size)
{
    static const char *const names[] = { "password", "passwd", "pwd" };
    for (size_t i = *at; i < text.size; i++) {
        struct span rest = span_skip(text, i);
        size_t begin = 0, size = 0, name_size = 3;
        if (span_starts(rest, "://"))
            size = url_size(span_skip(rest, 3), &begin);
        for (size_t n = 0; size == 0 && n < sizeof names / sizeof *names; n++) {
            name_size = strlen(names[n]);
            if (rest.size > name_size &&
                strncasecmp(rest.data, names[n], name_size) == 0)
                size = value_size(span_skip(rest, name_size), form_at(text, i), &begin);
        }
        if (size == 0)
            continue;
        *at = i + name_size + begin;
        *ret_size = size;
        return true;
    }
    return false;
}

bool secret_is_in(struct span text)
{
    size_t at = 0, size;
    return find(text, &at, &size);
}

void secret_print(struct strbuf *out, struct span text)
{
    size_t done = 0, at = 0, size;
    while (find(text, &at, &size)) {
        strbuf_add(out, text.data + done, at - done);
        strbuf_adds(out, "***");
        done = at += size;
    }
    strbuf_add(out, text.data + done, text.size - done);
}
