/* SPDX-License-Identifier: Apache-2.0 */
/* identity - who a node is, and how it checks who another one is. */
#include "session/identity.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hashmap.h"
#include "base/number.h"
#include "base/span.h"
#include "net/token/token.h"
#include "session/config.h"

#include <libgen.h>
#include <sys/stat.h>
#include <xxhash.h>

_Static_assert((int)IDENTITY_ID_SIZE == (int)TOKEN_ID_SIZE, "of a token");

#define KNOWN_MAX 1024 /* tokens that were verified, by their text */
#define REVOKED_FILE_MAX (16 << 20)

struct known_token {
    char *text; /* NULL: free */
    size_t size;
    struct token_key *key;
    char host[TOKEN_HOST_MAX + 1];
    struct identity_hold hold;
};

struct session_identity {
    struct token_key *own, *site;
    struct strbuf token;
    char *session;
    uint64_t hosts_digest;
    const char *revoked_path; /* "": no list */
    struct timespec revoked_time;
    struct hashmap revoked;
    struct known_token known[KNOWN_MAX];
};

static const char *const uses[] = {
    [IDENTITY_HELLO] = "barograph-session-hello-1:",
    [IDENTITY_WELCOME] = "barograph-session-welcome-1:",
    [IDENTITY_PUBLISH] = "barograph-session-publish-1:",
    [IDENTITY_EVENT] = "barograph-session-event-1:",
};

/* ---- signatures ---- */

static int add_signed(const struct session_identity *identity, enum identity_use use,
                      struct span bound, struct span text, struct strbuf *out)
{
    strbuf_adds(out, uses[use]);
    strbuf_adds(out, identity->session);
    strbuf_addc(out, '\0'); /* no name has one: nothing of it can be shifted */
    strbuf_add(out, (const char *)&identity->hosts_digest,
               sizeof identity->hosts_digest);
    strbuf_add_span(out, bound); /* of one length for each use */
    strbuf_add_span(out, text);
    return strbuf_error(out);
}

struct span identity_token(const struct session_identity *identity)
{
    return strbuf_span(&identity->token);
}

int identity_sign(const struct session_identity *identity, enum identity_use use,
                  struct span bound, struct span text, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    unsigned char signature[TOKEN_SIGNATURE_SIZE];
    int rc = add_signed(identity, use, bound, text, &message);
    if (rc == 0)
        rc = token_key_sign(identity->own, strbuf_span(&message), signature);
    if (rc < 0)
        return rc;
    strbuf_add(out, (const char *)signature, sizeof signature);
    return strbuf_error(out);
}

/* ---- tokens ---- */

static void known_clear(struct known_token *known)
{
    free(known->text);
    token_key_free(known->key);
    *known = (struct known_token){ 0 };
}

static int known_fill(struct session_identity *identity, struct known_token *known,
                      struct span text, struct err *err)
{
    struct token token;
    int rc = token_verify(identity->site, text, clock_now_ns() / NS_PER_S, &token, err);
    if (rc == 0 && token.role != NET_ROLE_NODE)
        rc = err_set(err, EPERM, "its token is not one of the role node");
    if (rc < 0)
        return rc;
    known_clear(known);
    known->text = malloc(text.size);
    if (!known->text || token_key_of_raw(token.key, &known->key, NULL) < 0) {
        known_clear(known);
        return err_set(err, EPERM, "its token's key cannot be used");
    }
    memcpy(known->text, text.data, text.size); /* at least a byte: it was verified */
    known->size = text.size;
    memcpy(known->host, token.host, sizeof known->host);
    memcpy(known->hold.id, token.id, sizeof known->hold.id);
    known->hold.expires_s = token.expires_s;
    return 0;
}

/* Verified once, and then known by all its bytes. */
static int known_find(struct session_identity *identity, struct span text,
                      struct known_token **ret, struct err *err)
{
    if (text.size == 0)
        return err_set(err, EPERM, "it shows no token (session.identity_token)");
    if (text.size > IDENTITY_TOKEN_MAX)
        return err_set(err, EPERM, "its token is too long");
    struct known_token *known =
        &identity->known[XXH3_64bits(text.data, text.size) % KNOWN_MAX];
    bool is_known = known->text && known->size == text.size &&
                    memcmp(known->text, text.data, text.size) == 0;
    int rc = is_known ? 0 : known_fill(identity, known, text, err);
    if (rc == 0)
        *ret = known;
    return rc;
}

bool identity_holds(const struct session_identity *identity,
                    const struct identity_hold *hold)
{
    return hold->expires_s > clock_now_ns() / NS_PER_S &&
           !hashmap_get(&identity->revoked, span_of(hold->id));
}

int identity_check(struct session_identity *identity,
                   const struct identity_claim *claim, struct identity_hold *hold,
                   struct err *err)
{
    AUTO(strbuf_done) struct strbuf message = STRBUF_INIT;
    struct known_token *known = NULL;
    int rc = known_find(identity, claim->token, &known, err);
    if (rc < 0 || !known)
        return rc;
    if (strcmp(known->host, claim->host) != 0)
        return err_set(err, EPERM, "its token is that of node '%s'", known->host);
    if (!identity_holds(identity, &known->hold))
        return err_set(err, EPERM, "its token %s was revoked, or has expired",
                       known->hold.id);
    rc = add_signed(identity, claim->use, claim->bound, claim->signed_text, &message);
    if (rc < 0)
        return rc;
    if (!token_key_verify(known->key, strbuf_span(&message), claim->signature))
        return err_set(err, EPERM, "the signature is not by the key of node '%s'",
                       known->host);
    if (hold)
        *hold = known->hold;
    return 0;
}

int identity_refresh(struct session_identity *identity, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(hashmap_done) struct hashmap ids = HASHMAP_INIT;
    const char *path = identity->revoked_path;
    struct stat st;
    if (!path || !*path)
        return 0;
    if (stat(path, &st) < 0)
        return err_set(err, errno, "session.revoked: '%s': %s", path, strerror(errno));
    if (st.st_mtim.tv_sec == identity->revoked_time.tv_sec &&
        st.st_mtim.tv_nsec == identity->revoked_time.tv_nsec)
        return 0;
    int rc = file_read(path, REVOKED_FILE_MAX, &text, err);
    if (rc == 0)
        rc = token_revoked_parse(strbuf_span(&text), &ids, err);
    if (rc < 0)
        return err_prefix(err, rc, "session.revoked: '%s'", path);
    struct hashmap old = identity->revoked;
    identity->revoked = ids;
    ids = old; /* freed on the way out */
    identity->revoked_time = st.st_mtim;
    return 0;
}

/* ---- the beginning and the end ---- */

int identity_of(struct token_key *own, struct span token, struct token_key *site,
                const char *session, uint64_t hosts_digest,
                struct session_identity **ret)
{
    struct session_identity *identity = calloc(1, sizeof *identity);
    if (identity)
        identity->session = strdup(session);
    if (!identity || !identity->session) {
        identity_free(identity);
        token_key_free(own);
        token_key_free(site);
        return -ENOMEM;
    }
    identity->own = own;
    identity->site = site;
    identity->hosts_digest = hosts_digest;
    strbuf_add_span(&identity->token, token);
    *ret = identity;
    return 0;
}

void identity_free(struct session_identity *identity)
{
    if (!identity)
        return;
    for (size_t i = 0; i < KNOWN_MAX; i++)
        known_clear(&identity->known[i]);
    token_key_free(identity->own);
    token_key_free(identity->site);
    strbuf_done(&identity->token);
    hashmap_done(&identity->revoked);
    free(identity->session);
    free(identity);
}

/* The key's file, made at the first start: its public half is what the site signs. */
static int open_key(const struct session_opts *opts, struct strbuf *path,
                    struct token_key **ret, struct err *err)
{
    if (opts->identity_key && *opts->identity_key)
        strbuf_adds(path, opts->identity_key);
    else
        strbuf_addf(path, "%s/node.key", opts->state);
    if (strbuf_error(path) < 0)
        return -ENOMEM;
    if (access(strbuf_text(path), F_OK) < 0 && errno == ENOENT) {
        AUTO_FREE char *copy = strdup(strbuf_text(path));
        int rc = copy ? file_make_dirs(dirname(copy), 0750, err) : -ENOMEM;
        if (rc == 0)
            rc = token_key_create(strbuf_text(path), err);
        if (rc < 0)
            return err_prefix(err, rc, "session.identity_key");
    }
    int rc = token_key_load(strbuf_text(path), ret, err);
    if (rc == 0 && !token_key_can_sign(*ret))
        rc = err_set(err, EINVAL, "'%s' is a public key", strbuf_text(path));
    return err_prefix(err, rc, "session.identity_key");
}

static int read_token(const struct session_opts *opts, const char *host,
                      const char *key_path, struct strbuf *ret, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (!opts->identity_token || !*opts->identity_token)
        return err_set(err, EINVAL,
                       "session.identity_token: missing; with the site's key: baro "
                       "token new --role node --host %s --node-key %s.pub --key KEY; "
                       "or session.identities = none: then who has the session's key "
                       "may be any of its nodes",
                       host, key_path);
    int rc = file_read(opts->identity_token, IDENTITY_TOKEN_MAX + 2, &text, err);
    if (rc < 0)
        return err_prefix(err, rc, "session.identity_token");
    strbuf_add_span(ret, span_trim(strbuf_span(&text)));
    return strbuf_error(ret);
}

/* A node that shows what is not its own would be refused by each: better at the start.
 */
static int check_own(struct session_identity *identity, const char *host,
                     struct err *err)
{
    AUTO(strbuf_done) struct strbuf signature = STRBUF_INIT;
    struct identity_claim claim = { .use = IDENTITY_EVENT,
                                    .host = host,
                                    .signed_text = SPAN("start"),
                                    .token = identity_token(identity) };
    int rc =
        identity_sign(identity, claim.use, claim.bound, claim.signed_text, &signature);
    claim.signature = strbuf_span(&signature);
    if (rc == 0)
        rc = identity_check(identity, &claim, NULL, err);
    return err_prefix(err, rc, "session.identity_token, of node '%s'", host);
}

int identity_open(const struct session_opts *opts, const struct session_plan *plan,
                  struct session_identity **ret, struct err *err)
{
    AUTO(token_key_free) struct token_key *own = NULL, *site = NULL;
    AUTO(identity_free) struct session_identity *identity = NULL;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT, token = STRBUF_INIT;
    const char *host = hostset_at(plan->hosts, plan->rank);
    int rc = open_key(opts, &path, &own, err);
    if (rc == 0)
        rc = read_token(opts, host, strbuf_text(&path), &token, err);
    if (rc == 0 && !(opts->site_key && *opts->site_key))
        rc = err_set(err, EINVAL,
                     "session.site_key: missing: the public half of the site's key of "
                     "tokens");
    if (rc == 0)
        rc = err_prefix(err, token_key_load(opts->site_key, &site, err),
                        "session.site_key");
    if (rc == 0)
        rc = identity_of(TAKE(own), strbuf_span(&token), TAKE(site), opts->name,
                         plan->hosts_digest, &identity);
    if (rc < 0 || !identity)
        return rc;
    identity->revoked_path = opts->revoked;
    rc = identity_refresh(identity, err);
    if (rc == 0)
        rc = check_own(identity, host, err);
    if (rc == 0)
        *ret = TAKE(identity);
    return rc;
}
