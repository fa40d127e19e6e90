/* SPDX-License-Identifier: Apache-2.0 */
/* session - tokens that a server issued itself, to persons who signed in. */
#include "net/token/session.h"

#include "base/span.h"
#include "base/uuid.h"
#include "net/token/base64.h"

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SECRET_BYTES = 32, HASH_BYTES = 32 };

struct sessions {
    pthread_mutex_t lock;   /* of what follows */
    struct hashmap by_hash; /* to struct session */
};

int sessions_new(struct sessions **ret)
{
    struct sessions *sessions = calloc(1, sizeof *sessions);
    if (!sessions)
        return -ENOMEM;
    (void)pthread_mutex_init(&sessions->lock, NULL);
    *ret = sessions;
    return 0;
}

void sessions_free(struct sessions *sessions)
{
    size_t cursor = 0;
    struct span hash;
    uintptr_t *value;
    if (!sessions)
        return;
    while (hashmap_next(&sessions->by_hash, &cursor, &hash, &value))
        free((void *)*value);
    hashmap_done(&sessions->by_hash);
    (void)pthread_mutex_destroy(&sessions->lock);
    free(sessions);
}

static int hash_of(struct span text, char out[static HASH_BYTES])
{
    unsigned size = 0;
    if (EVP_Digest(text.data, text.size, (unsigned char *)out, &size, EVP_sha256(),
                   NULL) != 1 ||
        size != HASH_BYTES)
        return -EIO;
    return 0;
}

static int secret_new(char text[static SESSION_TEXT_SIZE])
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    char bytes[SECRET_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -EIO;
    base64_print(&out, (struct span){ bytes, sizeof bytes });
    explicit_bzero(bytes, sizeof bytes);
    if (strbuf_error(&out) < 0)
        return -ENOMEM;
    if (out.size != SESSION_TEXT_SIZE - 1)
        return -EIO;
    memcpy(text, out.data, SESSION_TEXT_SIZE - 1);
    text[SESSION_TEXT_SIZE - 1] = '\0';
    explicit_bzero(out.data, out.size);
    return 0;
}

static void session_remove(struct sessions *sessions, struct span hash)
{
    uintptr_t *value = hashmap_get(&sessions->by_hash, hash);
    if (!value)
        return;
    free((void *)*value);
    (void)hashmap_remove(&sessions->by_hash, hash);
}

/* Those that have ended go; of a full table, or of a user with too many, the one that
 * ends first does. */
static void session_evict(struct sessions *sessions, const char *user, int64_t now_s)
{
    char first[HASH_BYTES] = { 0 }, first_own[HASH_BYTES] = { 0 };
    int64_t first_s = INT64_MAX, first_own_s = INT64_MAX;
    size_t cursor = 0, own_count = 0;
    struct span hash;
    uintptr_t *value;
    while (hashmap_next(&sessions->by_hash, &cursor, &hash, &value)) {
        struct session *session = (struct session *)*value;
        int64_t expires_s = session->token.expires_s;
        if (expires_s <= now_s) {
            free(session);
            (void)hashmap_remove(&sessions->by_hash, hash);
            continue;
        }
        if (expires_s < first_s) {
            first_s = expires_s;
            memcpy(first, hash.data, HASH_BYTES);
        }
        if (strcmp(session->token.user, user) != 0)
            continue;
        own_count++;
        if (expires_s < first_own_s) {
            first_own_s = expires_s;
            memcpy(first_own, hash.data, HASH_BYTES);
        }
    }
    if (own_count >= SESSIONS_OF_USER_MAX)
        session_remove(sessions, (struct span){ first_own, HASH_BYTES });
    else if (sessions->by_hash.count >= SESSIONS_MAX)
        session_remove(sessions, (struct span){ first, HASH_BYTES });
}

int session_issue(struct sessions *sessions, struct session *session, int64_t now_s,
                  char text[static SESSION_TEXT_SIZE])
{
    char hash[HASH_BYTES];
    struct uuid id;
    int rc = uuid_new(&id);
    if (rc == 0)
        rc = secret_new(text);
    if (rc == 0)
        rc = hash_of(span_of(text), hash);
    if (rc < 0)
        return rc;
    uuid_print(session->token.id, &id);
    session->token.issued_s = now_s;
    AUTO_FREE struct session *stored = malloc(sizeof *stored);
    if (!stored)
        return -ENOMEM;
    *stored = *session;
    LOCKED(&sessions->lock);
    session_evict(sessions, session->token.user, now_s);
    uintptr_t *value =
        hashmap_put(&sessions->by_hash, (struct span){ hash, sizeof hash }, NULL);
    if (!value)
        return -ENOMEM;
    *value = (uintptr_t)TAKE(stored);
    return 0;
}

/* Without the lock: what any client shows is hashed while others go on. */
static bool cookie_hash(struct span text, char hash[static HASH_BYTES])
{
    return text.size == SESSION_TEXT_SIZE - 1 && hash_of(text, hash) == 0;
}

/* With the lock; NULL: there is none. */
static struct session *session_of(const struct sessions *sessions,
                                  const char hash[static HASH_BYTES])
{
    uintptr_t *value =
        hashmap_get(&sessions->by_hash, (struct span){ hash, HASH_BYTES });
    return value ? (struct session *)*value : NULL;
}

int session_find(struct sessions *sessions, struct span text, int64_t now_s,
                 struct session *ret)
{
    char hash[HASH_BYTES];
    if (!cookie_hash(text, hash))
        return -EPERM;
    LOCKED(&sessions->lock);
    const struct session *session = session_of(sessions, hash);
    if (!session || session->token.expires_s <= now_s)
        return -EPERM;
    *ret = *session;
    return 0;
}

bool session_end(struct sessions *sessions, struct span text, struct session *ret)
{
    char hash[HASH_BYTES];
    if (!cookie_hash(text, hash))
        return false;
    LOCKED(&sessions->lock);
    const struct session *session = session_of(sessions, hash);
    if (!session)
        return false;
    if (ret)
        *ret = *session;
    session_remove(sessions, (struct span){ hash, sizeof hash });
    return true;
}

size_t sessions_count(struct sessions *sessions)
{
    LOCKED(&sessions->lock);
    return sessions->by_hash.count;
}
