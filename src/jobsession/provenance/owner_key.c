/* SPDX-License-Identifier: Apache-2.0 */
/* owner_key - the key by which paths of a user are hashed: one for all of her runs. */
#include "jobsession/provenance/owner_key.h"

#include "base/file.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>

static int print_path(struct strbuf *directory, struct strbuf *path, struct err *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    if (data && *data == '/')
        strbuf_addf(directory, "%s/barograph", data);
    else if (home && *home == '/')
        strbuf_addf(directory, "%s/.local/share/barograph", home);
    else
        return err_set(err, EINVAL, "HOME is not set: there is no place for the key");
    strbuf_addf(path, "%s/provenance.key", strbuf_text(directory));
    return strbuf_error(directory) < 0 || strbuf_error(path) < 0 ? -ENOMEM : 0;
}

static int read_key(const char *path, unsigned char ret[PATH_KEY_BYTES],
                    struct err *err)
{
    unsigned char key[PATH_KEY_BYTES + 1];
    struct stat st;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    if (st.st_uid != geteuid() || st.st_mode & 077)
        return err_set(err, EPERM, "'%s' has to be your own, and of mode 0600", path);
    if (read(fd, key, sizeof key) != PATH_KEY_BYTES)
        return err_set(err, EBADMSG, "'%s' does not have the %d bytes of a key", path,
                       PATH_KEY_BYTES);
    memcpy(ret, key, PATH_KEY_BYTES);
    return 0;
}

/* Whole, by another name, before it has this one: no reader has half of it. */
static int make_key(const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf draft = STRBUF_INIT;
    unsigned char key[PATH_KEY_BYTES];
    strbuf_addf(&draft, "%s.%ld", path, (long)getpid());
    if (strbuf_error(&draft) < 0 || RAND_bytes(key, sizeof key) != 1)
        return -ENOMEM;
    AUTO_CLOSE int fd =
        open(strbuf_text(&draft), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int rc = fd < 0 ? -errno : file_write_all(fd, key, sizeof key);
    if (rc == 0 && link(strbuf_text(&draft), path) < 0 && errno != EEXIST)
        rc = -errno;
    if (fd >= 0)
        (void)unlink(strbuf_text(&draft));
    return rc < 0 ? err_set(err, -rc, "'%s': %s", path, strerror(-rc)) : 0;
}

int owner_key_get(unsigned char ret[PATH_KEY_BYTES], struct err *err)
{
    AUTO(strbuf_done) struct strbuf directory = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    int rc = print_path(&directory, &path, err);
    if (rc == 0)
        rc = file_make_dirs(strbuf_text(&directory), 0700, err);
    if (rc == 0 && access(strbuf_text(&path), F_OK) < 0)
        rc = make_key(strbuf_text(&path), err);
    return rc < 0 ? rc : read_key(strbuf_text(&path), ret, err);
}

void owner_key_print(const unsigned char key[PATH_KEY_BYTES], struct strbuf *out)
{
    for (size_t i = 0; i < PATH_KEY_BYTES; i++)
        strbuf_addf(out, "%02x", key[i]);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int owner_key_parse(struct span text, unsigned char ret[PATH_KEY_BYTES])
{
    if (text.size != OWNER_KEY_TEXT_BYTES)
        return -EINVAL;
    for (size_t i = 0; i < PATH_KEY_BYTES; i++) {
        int high = digit_of(text.data[2 * i]), low = digit_of(text.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return -EINVAL;
        ret[i] = (unsigned char)(high * 16 + low);
    }
    return 0;
}
