/* SPDX-License-Identifier: Apache-2.0 */
/* identities - for whom a client reads, where that has to be looked up. */
#include "dataset/forwarder/identities.h"

#include "base/cleanup.h"
#include "base/clock.h"

#include <errno.h>
#include <grp.h>
#include <openssl/crypto.h>
#include <pwd.h>
#include <string.h>
#ifdef BARO_WITH_MUNGE
#include <munge.h>
#endif

#define GROUPS_MAX 1024
#define USER_BYTES 65536U

struct identity {
    struct work work; /* first */
    struct identities *all;
    identity_fn done; /* NULL: no client waits for it */
    void *arg;
    struct identity **at;
    struct identity *previous, *next; /* in the queue */
    bool is_queued, has_credential;
    uint32_t uid;
    int64_t since_ns;
    uint8_t payload[READER_NONCE_SIZE];
    size_t payload_size;
    struct reader reader;
    int rc;
    char reason[160];
    char credential[CREDENTIAL_MAX + 1];
};

/* ---- what a worker does ---- */

/* A user that this host does not have has no groups. */
static void groups_find(struct identity *identity)
{
    struct reader *reader = &identity->reader;
    AUTO_FREE char *text = malloc(USER_BYTES);
    AUTO_FREE gid_t *groups = malloc(GROUPS_MAX * sizeof *groups);
    struct passwd user, *found = NULL;
    int count = GROUPS_MAX;
    if (!text || !groups) {
        identity->rc = -ENOMEM;
        return;
    }
    if (getpwuid_r(reader->uid, &user, text, USER_BYTES, &found) != 0 || !found)
        return;
    if (getgrouplist(user.pw_name, user.pw_gid, groups, &count) < 0)
        count = GROUPS_MAX; /* that many it has set */
    reader_set_groups(reader, groups, (size_t)count);
}

#ifdef BARO_WITH_MUNGE
bool identities_know_munge(void)
{
    return true;
}

static int munge_code(munge_err_t code)
{
    switch (code) {
    case EMUNGE_SUCCESS:
        return 0;
    case EMUNGE_NO_MEMORY:
        return -ENOMEM;
    case EMUNGE_SOCKET:
    case EMUNGE_TIMEOUT:
        return -EHOSTUNREACH;
    default:
        return -EPERM;
    }
}

/* Errors: -EPERM, with the reason. */
static int credential_check(struct identity *identity, uid_t uid, const void *payload,
                            int size)
{
    bool is_ours =
        (size_t)size == identity->payload_size &&
        (!size || CRYPTO_memcmp(payload, identity->payload, (size_t)size) == 0);
    bool is_users = identity->uid == READER_UNKNOWN || identity->uid == uid;
    if (!is_ours)
        (void)snprintf(identity->reason, sizeof identity->reason,
                       "it is of another service");
    else if (!is_users)
        (void)snprintf(identity->reason, sizeof identity->reason,
                       "it is of user %u, and %u was stated", uid, identity->uid);
    return is_ours && is_users ? 0 : -EPERM;
}

static void credential_decode(struct identity *identity)
{
    uid_t uid = READER_UNKNOWN;
    gid_t gid = READER_UNKNOWN;
    void *payload = NULL;
    int size = 0;
    munge_ctx_t context = munge_ctx_create();
    munge_err_t code = context ? EMUNGE_SUCCESS : EMUNGE_NO_MEMORY;
    if (code == EMUNGE_SUCCESS && identity->all->socket)
        code = munge_ctx_set(context, MUNGE_OPT_SOCKET, identity->all->socket);
    if (code == EMUNGE_SUCCESS)
        code = munge_decode(identity->credential, context, &payload, &size, &uid, &gid);
    const char *reason = context ? munge_ctx_strerror(context) : NULL;
    (void)snprintf(identity->reason, sizeof identity->reason, "%s",
                   reason ? reason : munge_strerror(code));
    identity->rc = munge_code(code);
    if (identity->rc == 0)
        identity->rc = credential_check(identity, uid, payload, size);
    if (identity->rc == 0) {
        identity->reader = (struct reader){ .uid = uid };
        reader_set_groups(&identity->reader, &gid, 1);
    }
    free(payload);
    munge_ctx_destroy(context);
}
#else
bool identities_know_munge(void)
{
    return false;
}

static void credential_decode(struct identity *identity)
{
    (void)snprintf(identity->reason, sizeof identity->reason,
                   "this program was built without MUNGE");
    identity->rc = -EPERM;
}
#endif

static void identity_run(struct work *work, struct worker *worker)
{
    struct identity *identity = (struct identity *)work;
    (void)worker;
    identity->reader = (struct reader){ .uid = identity->uid };
    if (identity->has_credential)
        credential_decode(identity);
    if (identity->rc == 0)
        groups_find(identity);
}

/* ---- the queue ---- */

static void queue_remove(struct identity *identity)
{
    struct identities *all = identity->all;
    *(identity->previous ? &identity->previous->next : &all->first) = identity->next;
    *(identity->next ? &identity->next->previous : &all->last) = identity->previous;
    identity->is_queued = false;
}

static void queue_next(struct identities *all)
{
    struct identity *identity = all->first;
    if (all->running || !identity)
        return;
    queue_remove(identity);
    all->running = identity;
    work_submit(all->pool, &identity->work);
}

static void identity_free(struct identity *identity)
{
    OPENSSL_cleanse(identity->credential, sizeof identity->credential);
    free(identity);
}

static void credential_report(struct identity *identity)
{
    struct identities *all = identity->all;
    all->refused++;
    forwarder_report(all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                     "a MUNGE credential was refused: %s", identity->reason);
}

/* root of some host has what is public, but where it is named. */
static void credential_accept(struct identity *identity)
{
    struct identities *all = identity->all;
    struct reader *reader = &identity->reader;
    all->decoded++;
    reader->is_trusted = all->readers && readers_name(all->readers, reader->uid);
    if (reader->uid == 0 && !reader->is_trusted)
        *reader = (struct reader){ .uid = READER_UNKNOWN };
}

static void on_identity_worked(struct work *work)
{
    struct identity *identity = (struct identity *)work;
    struct identities *all = identity->all;
    all->running = NULL;
    if (identity->has_credential && identity->rc < 0)
        credential_report(identity);
    else if (identity->has_credential)
        credential_accept(identity);
    if (identity->done) {
        *identity->at = NULL;
        identity->done(identity->arg, identity->rc, &identity->reader);
    }
    identity_free(identity);
    queue_next(all);
}

void identity_begin(struct identities *all, const struct identity_terms *terms,
                    identity_fn done, void *arg, struct identity **at)
{
    struct identity *identity = calloc(1, sizeof *identity);
    if (!identity) {
        done(arg, -ENOMEM, NULL);
        return;
    }
    identity->all = all;
    identity->done = done;
    identity->arg = arg;
    identity->at = at;
    identity->uid = terms->uid;
    identity->since_ns = clock_steady_ns();
    identity->payload_size = terms->payload.size;
    if (terms->payload.size)
        memcpy(identity->payload, terms->payload.data, terms->payload.size);
    identity->has_credential = terms->credential != NULL;
    if (terms->credential)
        memcpy(identity->credential, terms->credential,
               strnlen(terms->credential, CREDENTIAL_MAX)); /* the zero is there */
    identity->work.run = identity_run;
    identity->work.done = on_identity_worked;
    identity->previous = all->last;
    *(all->last ? &all->last->next : &all->first) = identity;
    all->last = identity;
    identity->is_queued = true;
    *at = identity;
    queue_next(all);
}

void identity_leave(struct identity **at)
{
    struct identity *identity = *at;
    if (!identity)
        return;
    struct identities *all = identity->all;
    *at = NULL;
    identity->done = NULL;
    if (identity->is_queued)
        queue_remove(identity);
    else if (!work_cancel(&identity->work))
        return; /* a worker has it: it is freed when that is done */
    if (all->running == identity)
        all->running = NULL;
    identity_free(identity);
    queue_next(all);
}

static bool is_late(const struct identities *all, const struct identity *identity,
                    int64_t now_ns)
{
    return identity && identity->done &&
           now_ns - identity->since_ns >= all->patience_ns;
}

static void identity_expire(struct identity *identity)
{
    identity_fn done = identity->done;
    void *arg = identity->arg;
    identity_leave(identity->at);
    done(arg, -ETIMEDOUT, NULL);
}

/* done() may leave others, and begin new ones: those are behind. */
void identities_check(struct identities *all, int64_t now_ns)
{
    if (is_late(all, all->running, now_ns))
        identity_expire(all->running);
    while (is_late(all, all->first, now_ns))
        identity_expire(all->first);
}

bool identities_are_idle(const struct identities *all)
{
    return !all->first && !(all->running && all->running->done);
}
