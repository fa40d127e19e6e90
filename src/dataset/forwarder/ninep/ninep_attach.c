/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_attach - who reads: a user of a unix socket, one whose MUNGE credential was
 * sent, or one that is not known.
 *
 *     Tauth afid ─▶ Twrite afid credential ─▶ Tattach fid afid ─▶ munged ─▶ the root
 */
#include "base/span.h"
#include "dataset/forwarder/ninep/ninep_client.h"

#include <openssl/crypto.h>

static bool is_root(struct span aname)
{
    return aname.size == 0 || span_eq(aname, SPAN("/"));
}

/* Where credentials are not for anything: ENOENT states that to diod's clients. */
void ninep_auth(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_response response;
    struct ninep_fid *fid = NULL;
    int rc = client->server->identities->has_munge ? 0 : -ENOENT;
    if (rc == 0 && client->auth_count == NINEP_AUTH_FIDS_MAX)
        rc = -EMFILE;
    if (rc == 0)
        rc = ninep_fid_add(client, message->afid, &fid);
    if (rc < 0) {
        ninep_fail(client, message->tag, rc);
        return;
    }
    fid->kind = NINEP_FID_AUTH;
    client->auth_count++;
    fid->user_number = message->user;
    const struct ninep_qid qid = ninep_qid_of(fid);
    ninep_response_begin(&response, NINEP_TAUTH + 1, message->tag);
    ninep_put_qid(&response, &qid);
    ninep_send(client, &response);
}

/* ---- a credential ---- */

/* Its bytes are those of the client's memory, as responses are. */
static int credential_make(struct ninep_client *client, struct ninep_fid *fid)
{
    fid->credential = calloc(1, CREDENTIAL_MAX + 1);
    if (!fid->credential)
        return -ENOMEM;
    channel_reserve(&client->client.channel, CREDENTIAL_MAX);
    return 0;
}

static int credential_add(struct ninep_client *client, struct ninep_fid *fid,
                          const struct ninep_message *message)
{
    struct span data = message->data;
    if (message->offset != fid->credential_size || !data.size ||
        memchr(data.data, '\0', data.size))
        return -EINVAL;
    if (data.size > CREDENTIAL_MAX - fid->credential_size)
        return -EFBIG;
    if (!fid->credential && credential_make(client, fid) < 0)
        return -ENOMEM;
    memcpy(fid->credential + fid->credential_size, data.data, data.size);
    OPENSSL_cleanse((char *)(uintptr_t)data.data, data.size); /* as it was received */
    fid->credential_size += (uint32_t)data.size;
    return 0;
}

void ninep_write(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_response response;
    struct ninep_fid *fid = ninep_fid_find(client, message->fid);
    int rc = -EROFS;
    if (!message->skip && fid && fid->kind == NINEP_FID_AUTH)
        rc = credential_add(client, fid, message);
    if (rc < 0) {
        client->server->writes_refused += rc == -EROFS;
        ninep_fail(client, message->tag, rc);
        return;
    }
    ninep_response_begin(&response, NINEP_TWRITE + 1, message->tag);
    ninep_put_u32(&response, message->count);
    ninep_send(client, &response);
}

/* ---- Tattach ---- */

static void attach_end(struct ninep_request *request, int rc,
                       const struct reader *reader)
{
    struct ninep_client *client = request->client;
    struct ninep_response response;
    struct ninep_user *user = rc == 0 ? ninep_user_new(reader) : NULL;
    if (rc == 0)
        rc = user ? ninep_fid_set(client, request->newfid, request->newfid_serial, user,
                                  NULL)
                  : -ENOMEM;
    ninep_user_unref(user);
    if (rc < 0) {
        ninep_request_fail(request, rc);
        return;
    }
    client_set_welcome(&client->client);
    const struct ninep_qid qid = ninep_qid_of(ninep_fid_find(client, request->newfid));
    ninep_response_begin(&response, NINEP_TATTACH + 1, request->tag);
    ninep_put_qid(&response, &qid);
    ninep_send(client, &response);
    ninep_request_end(request);
}

/* Of a connection whose client was not known it is the user from now on: the kernel,
 * which is given a socket by who has authenticated, sends no credential. */
static void on_credential(void *arg, int rc, const struct reader *reader)
{
    struct ninep_request *request = arg;
    struct ninep_client *client = request->client;
    request->sets_waiting = false;
    client_set_waiting(&client->client, false);
    if (rc == 0 && client->client.reader.uid == READER_UNKNOWN)
        client->client.reader = *reader;
    if (rc == -EPERM)
        ninep_credential_refused(client);
    attach_end(request, rc, reader);
}

static void on_groups(void *arg, int rc, const struct reader *reader)
{
    attach_end(arg, rc, reader);
}

/* A credential is for one Tattach, and one of a connection is decoded at a time. */
static void credential_attach(struct ninep_client *client,
                              struct ninep_request *request, struct ninep_fid *afid)
{
    const struct identity_terms terms = { .credential = afid->credential,
                                          .uid = request->user_number };
    if (client->client.is_waiting) {
        ninep_request_fail(request, -EBUSY);
        return;
    }
    if (!afid->credential || afid->user_number != request->user_number) {
        ninep_credential_drop(client, afid);
        ninep_credential_refused(client);
        ninep_request_fail(request, -EPERM);
        return;
    }
    request->sets_waiting = true;
    client_set_waiting(&client->client, true);
    const uint32_t number = afid->number;
    identity_begin(client->server->identities, &terms, on_credential, request,
                   &request->identity);
    afid = ninep_fid_find(client, number);
    if (afid && afid->kind == NINEP_FID_AUTH)
        ninep_credential_drop(client, afid);
}

/* Who may have every dataset may state for which user; who states none may be the
 * kernel, which has that fid for all users of a mount: it has what is public. */
static void peer_attach(struct ninep_client *client, struct ninep_request *request)
{
    static const struct reader public = { .uid = READER_UNKNOWN };
    const struct reader *peer = &client->client.reader;
    uint32_t user = request->user_number;
    if (peer->is_trusted && user == NINEP_NO_USER)
        attach_end(request, 0, &public);
    else if (peer->uid == READER_UNKNOWN || user == NINEP_NO_USER || user == peer->uid)
        attach_end(request, 0, peer);
    else if (peer->is_trusted)
        identity_begin(client->server->identities,
                       &(struct identity_terms){ .uid = user }, on_groups, request,
                       &request->identity);
    else
        ninep_request_fail(request, -EPERM);
}

void ninep_attach(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_fid *afid = NULL, *fid = NULL;
    struct ninep_request *request = NULL;
    int rc = is_root(message->aname) ? 0 : -ENOENT;
    if (rc == 0 && message->afid != NINEP_NO_FID) {
        afid = ninep_fid_find(client, message->afid);
        rc = afid && afid->kind == NINEP_FID_AUTH ? 0 : -EBADF;
    }
    if (rc == 0)
        rc = ninep_fid_add(client, message->fid, &fid);
    if (rc == 0) {
        request = ninep_request_new(client, message);
        rc = request ? 0 : -ENOMEM;
        if (!request)
            (void)ninep_fid_remove(client, message->fid);
    }
    if (rc < 0) {
        ninep_fail(client, message->tag, rc);
        return;
    }
    request->newfid = message->fid;
    request->newfid_serial = fid->serial;
    request->user_number = message->user;
    if (afid)
        credential_attach(client, request, afid);
    else
        peer_attach(client, request);
}
