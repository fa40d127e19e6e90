/* SPDX-License-Identifier: Apache-2.0 */
/* readers - who is at the other end of a connection, and whom it may speak for. */
#include "dataset/forwarder/readers.h"

#include "base/cleanup.h"
#include "base/system/secret.h"
#include "dataset/repository/repository.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GROUPS_MAX 1024

static int trusted_add(struct readers *readers, const char *name, struct err *err)
{
    const struct passwd *user = getpwnam(name);
    if (!user)
        return err_set(err, ENOENT, "dataset.trusted: there is no user '%s'", name);
    if (readers->trusted_count == READERS_TRUSTED_MAX)
        return err_set(err, E2BIG, "dataset.trusted: more than %u users",
                       READERS_TRUSTED_MAX);
    readers->trusted[readers->trusted_count++] = user->pw_uid;
    return 0;
}

static int key_load(struct readers *readers, const char *path, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    int rc = secret_read(path, SITE_KEY_SIZE_MAX, &text, err);
    if (rc < 0)
        return rc;
    if (text.size < SITE_KEY_SIZE_MIN)
        return err_set(err, EINVAL,
                       "dataset.key: '%s' has fewer than %u bytes: make one with "
                       "openssl rand -hex 32",
                       path, SITE_KEY_SIZE_MIN);
    memcpy(readers->key, text.data, text.size);
    readers->key_size = text.size;
    OPENSSL_cleanse(text.data, text.size);
    return 0;
}

int readers_load(const char *const *names, size_t count, const char *key_path,
                 struct readers *ret, struct err *err)
{
    int rc = 0;
    *ret = (struct readers){ 0 };
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = trusted_add(ret, names[i], err);
    if (rc == 0 && key_path && *key_path)
        rc = key_load(ret, key_path, err);
    return rc;
}

/* ---- of a socket ---- */

bool readers_name(const struct readers *readers, uid_t uid)
{
    bool is_found = false;
    for (size_t i = 0; !is_found && i < readers->trusted_count; i++)
        is_found = readers->trusted[i] == uid;
    return is_found;
}

static bool is_trusted(const struct readers *readers, uid_t uid)
{
    return uid == 0 || uid == geteuid() || readers_name(readers, uid);
}

static void groups_print(const gid_t *groups, size_t count, char *out)
{
    size_t used = strlen(out);
    for (size_t i = 0; i < count && used < READER_GROUPS_SIZE; i++) {
        size_t rest = READER_GROUPS_SIZE - used;
        int size = snprintf(out + used, rest, "%s%u", used ? "." : "", groups[i]);
        if (size < 0 || (size_t)size >= rest)
            out[used] = '\0'; /* half a number would be another group */
        else
            used += (size_t)size;
    }
}

void reader_set_groups(struct reader *reader, const gid_t *groups, size_t count)
{
    reader->groups[0] = '\0';
    groups_print(groups, count, reader->groups);
}

void reader_of(const struct readers *readers, int fd, struct reader *ret)
{
    gid_t groups[GROUPS_MAX];
    struct ucred user = { 0 };
    socklen_t size = sizeof user, groups_size = sizeof groups;
    int domain = 0;
    socklen_t domain_size = sizeof domain;
    *ret = (struct reader){ .uid = READER_UNKNOWN };
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_size) < 0 ||
        domain != AF_UNIX || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &user, &size) < 0)
        return;
    ret->uid = user.uid;
    ret->is_trusted = is_trusted(readers, user.uid);
    groups_print(&user.gid, 1, ret->groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &groups_size) == 0)
        groups_print(groups, groups_size / sizeof groups[0], ret->groups);
}

int reader_parse(uint64_t uid, struct span groups, struct reader *ret)
{
    struct reader reader = { .uid = (uint32_t)uid };
    if (uid > UINT32_MAX || groups.size >= sizeof reader.groups)
        return -EINVAL;
    for (size_t i = 0; i < groups.size; i++)
        if ((groups.data[i] < '0' || groups.data[i] > '9') && groups.data[i] != '.')
            return -EINVAL;
    memcpy(reader.groups, groups.data, groups.size);
    *ret = reader;
    return 0;
}

/* ---- proofs ---- */

#define LABEL_SIZE 16U

int reader_nonce_make(uint8_t nonce[static READER_NONCE_SIZE])
{
    return RAND_bytes(nonce, READER_NONCE_SIZE) == 1 ? 0 : -EIO;
}

int reader_proof_make(const struct readers *readers, enum reader_role role,
                      const struct reader_nonces *nonces,
                      uint8_t proof[static READER_PROOF_SIZE])
{
    static const char labels[][LABEL_SIZE] = {
        [READER_CONNECTS] = "baro connects", [READER_LISTENS] = "baro listens"
    };
    uint8_t text[LABEL_SIZE + 2 * READER_NONCE_SIZE], sum[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    memcpy(text, labels[role], LABEL_SIZE);
    memcpy(text + LABEL_SIZE, nonces->connects, READER_NONCE_SIZE);
    memcpy(text + LABEL_SIZE + READER_NONCE_SIZE, nonces->listens, READER_NONCE_SIZE);
    if (!HMAC(EVP_sha256(), readers->key, (int)readers->key_size, text, sizeof text,
              sum, &size) ||
        size != READER_PROOF_SIZE)
        return -EIO;
    memcpy(proof, sum, READER_PROOF_SIZE);
    return 0;
}

bool reader_proof_is_right(const struct readers *readers, enum reader_role role,
                           const struct reader_nonces *nonces,
                           const uint8_t proof[static READER_PROOF_SIZE])
{
    uint8_t right[READER_PROOF_SIZE];
    return readers->key_size && reader_proof_make(readers, role, nonces, right) == 0 &&
           CRYPTO_memcmp(right, proof, READER_PROOF_SIZE) == 0;
}
