/* SPDX-License-Identifier: Apache-2.0 */
/* readers - who is at the other end of a connection, and whom it may speak for.
 *
 *     unix socket    the user and groups of the process; root, this process's own user
 *                    and those of `trusted` are other servers: they may have every
 *                    dataset, and state for which user
 *     TCP            unknown, who may have what is public; a server where it proves
 * that it has the site's key
 *
 * Both sides of a connection prove it, the one that listens first:
 *
 *     HMAC-SHA256(key, role, random of who connects, random of who listens)
 *
 * The key cannot be found out of it, and it is worth nothing on another connection or
 * from the other side.  There is no encryption: who can read the network can read what
 * is sent, and who is between both sides and passes on what they send can change it.
 * Threads  none inside.
 */
#ifndef DATASET_FORWARDER_READERS_H
#define DATASET_FORWARDER_READERS_H

#include "base/err.h"
#include "base/span_type.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define READER_UNKNOWN UINT32_MAX /* no user has this number */
#define READER_GROUPS_SIZE 112
#define READER_NONCE_SIZE 32U
#define READER_PROOF_SIZE 32U
#define READERS_TRUSTED_MAX 16U
#define SITE_KEY_SIZE_MIN 32U
#define CREDENTIAL_MAX 4096U /* of MUNGE, as text */
#define SITE_KEY_SIZE_MAX 4096U

struct reader {
    bool is_trusted;
    uint32_t uid;
    char groups[READER_GROUPS_SIZE]; /* "100.2000"; as many as there is capacity for */
};

struct readers {
    uid_t trusted[READERS_TRUSTED_MAX];
    size_t trusted_count;
    uint8_t key[SITE_KEY_SIZE_MAX];
    size_t key_size; /* 0: none */
};

/* names: users; key_path NULL: none.  Errors: -ENOENT (no such user), -E2BIG, those of
 * secret_read(), -EINVAL (a key that is too short), each with a line. */
int readers_load(const char *const *names, size_t count, const char *key_path,
                 struct readers *ret, struct err *err);
/* Of a connected socket. */
void reader_of(const struct readers *readers, int fd, struct reader *ret);
/* Groups as numbers, as many as there is capacity for. */
void reader_set_groups(struct reader *reader, const gid_t *groups, size_t count);
/* Whether `trusted` names this user: root, and this process's own, are not meant. */
bool readers_name(const struct readers *readers, uid_t uid);
/* The same of a user, as text, from a server that may state it.  Errors: -EINVAL. */
int reader_parse(uint64_t uid, struct span groups, struct reader *ret);

enum reader_role {
    READER_CONNECTS,
    READER_LISTENS,
};

/* Random numbers of a connection, of each side's. */
struct reader_nonces {
    uint8_t connects[READER_NONCE_SIZE], listens[READER_NONCE_SIZE];
};

/* Errors: -EIO (there are no random numbers). */
int reader_nonce_make(uint8_t nonce[static READER_NONCE_SIZE]);
/* Errors: -EIO (no HMAC). */
int reader_proof_make(const struct readers *readers, enum reader_role role,
                      const struct reader_nonces *nonces,
                      uint8_t proof[static READER_PROOF_SIZE]);
/* False also where there is no key. */
bool reader_proof_is_right(const struct readers *readers, enum reader_role role,
                           const struct reader_nonces *nonces,
                           const uint8_t proof[static READER_PROOF_SIZE]);

#endif
