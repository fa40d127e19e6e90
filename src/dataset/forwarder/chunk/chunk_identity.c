/* SPDX-License-Identifier: Apache-2.0 */
/* chunk_identity - who a client of the chunk door is: by the site's key, or MUNGE. */
#include "dataset/forwarder/chunk/chunk_identity.h"

#include "base/span.h"

#include <openssl/crypto.h>

/* Of zeros, which are no proof, where this server has no key. */
int chunk_identity_send(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    const struct readers *readers = end->client.all->readers;
    const struct chunk_frame identity = { .type = CHUNK_FRAME_IDENTITY,
                                          .id = frame->id };
    if (end->proof != PROOF_NONE)
        return -EBADMSG;
    AUTO(payload_unref)
    struct payload *body = payload_new(CHUNK_FRAME_IDENTITY_SIZE);
    if (!body)
        return -ENOMEM;
    memset(body->data, 0, CHUNK_FRAME_IDENTITY_SIZE);
    memcpy(end->nonces.connects, frame->body.data, READER_NONCE_SIZE);
    int rc = reader_nonce_make(end->nonces.listens);
    if (rc == 0 && readers && readers->key_size)
        rc = reader_proof_make(readers, READER_LISTENS, &end->nonces,
                               body->data + READER_NONCE_SIZE);
    if (rc < 0)
        return rc;
    memcpy(body->data, end->nonces.listens, READER_NONCE_SIZE);
    end->proof = PROOF_WANTED;
    chunk_end_send(end, &identity, body, 0, body->size);
    return 0;
}

/* Once a connection, over random numbers of this one. */
int chunk_proof_check(struct chunk_client_end *end, const struct chunk_frame *frame)
{
    const struct readers *readers = end->client.all->readers;
    bool is_wanted = end->proof == PROOF_WANTED;
    end->proof = PROOF_OVER;
    if (is_wanted && readers &&
        reader_proof_is_right(readers, READER_CONNECTS, &end->nonces,
                              (const uint8_t *)frame->body.data)) {
        end->client.reader.is_trusted = true;
        return 0;
    }
    forwarder_report(end->client.all->report, LOG_LEVEL_WARN, FORWARDER_CLIENT,
                     "a client is no server of this site: it has another key, or a "
                     "proof of another connection");
    return -EACCES;
}

/* It is that user from now on, unless it is a server already. */
static void on_credential(void *arg, int rc, const struct reader *reader)
{
    struct chunk_client_end *end = arg;
    const struct chunk_frame leased = { .type = CHUNK_FRAME_LEASED,
                                        .id = end->credential_id };
    if (rc < 0) {
        chunk_end_fail(end, end->credential_id, 0, rc == -EPERM ? -EACCES : rc);
        return;
    }
    if (!end->client.reader.is_trusted) {
        end->client.reader = *reader;
        end->is_loose = !end->is_challenged;
    }
    chunk_end_send(end, &leased, NULL, 0, 0);
}

/* Once a connection: a client that tries has to connect again.  Where it has requested
 * this server's random number, the credential has to have that as its payload. */
int chunk_credential_begin(struct chunk_client_end *end,
                           const struct chunk_frame *frame)
{
    char credential[CREDENTIAL_MAX + 1];
    if (end->has_credential || memchr(frame->body.data, '\0', frame->body.size))
        return -EBADMSG;
    end->has_credential = true;
    if (!end->server->identities->has_munge) {
        chunk_end_fail(end, frame->id, 0, -EFBIG);
        return 0;
    }
    memcpy(credential, frame->body.data, frame->body.size);
    credential[frame->body.size] = '\0';
    end->credential_id = frame->id;
    end->is_challenged = end->proof != PROOF_NONE;
    const struct identity_terms terms = {
        .credential = credential,
        .payload = { (const char *)end->nonces.listens,
                     end->proof == PROOF_NONE ? 0 : READER_NONCE_SIZE },
        .uid = READER_UNKNOWN
    };
    identity_begin(end->server->identities, &terms, on_credential, end, &end->identity);
    OPENSSL_cleanse(credential, sizeof credential);
    OPENSSL_cleanse((char *)(uintptr_t)frame->body.data, frame->body.size);
    return 0;
}
