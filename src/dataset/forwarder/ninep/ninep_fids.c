/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_fids - what a client of the 9P door has names for: files, the root, users. */
#include "dataset/forwarder/ninep/ninep_client.h"

#include "dataset/repository/repository.h"

#include <openssl/crypto.h>

#define ROOT_PATH 1U
#define AUTH_PATH 2U

static struct ninep_fid **fid_at(struct ninep_client *client, uint32_t number)
{
    struct ninep_fid **at = &client->fids[number % NINEP_FID_BUCKETS];
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

struct ninep_fid *ninep_fid_find(struct ninep_client *client, uint32_t number)
{
    struct ninep_fid *fid = *fid_at(client, number);
    return fid && fid->kind != NINEP_FID_PENDING ? fid : NULL;
}

int ninep_fid_add(struct ninep_client *client, uint32_t number, struct ninep_fid **ret)
{
    struct ninep_fid **at = fid_at(client, number);
    if (number == NINEP_NO_FID || *at)
        return -EBADF;
    if (client->fid_count == NINEP_FIDS_MAX)
        return -EMFILE;
    struct ninep_fid *fid = calloc(1, sizeof *fid);
    if (!fid)
        return -ENOMEM;
    fid->number = number;
    fid->serial = ++client->last_serial;
    *at = fid;
    client->fid_count++;
    *ret = fid;
    return 0;
}

void ninep_credential_drop(struct ninep_client *client, struct ninep_fid *fid)
{
    fid->credential_size = 0;
    if (!fid->credential)
        return;
    channel_unreserve(&client->client.channel, CREDENTIAL_MAX);
    OPENSSL_cleanse(fid->credential, CREDENTIAL_MAX);
    free(TAKE(fid->credential));
}

static void fid_clear(struct ninep_client *client, struct ninep_fid *fid)
{
    ninep_user_unref(fid->user);
    dataset_unref(client->server->datasets, fid->dataset);
    payload_unref(fid->names);
    ninep_credential_drop(client, fid);
    client->auth_count -= fid->kind == NINEP_FID_AUTH;
}

static void fid_drop(struct ninep_client *client, struct ninep_fid **at)
{
    struct ninep_fid *fid = *at;
    *at = fid->next;
    client->fid_count--;
    fid_clear(client, fid);
    free(fid);
}

bool ninep_fid_remove(struct ninep_client *client, uint32_t number)
{
    struct ninep_fid **at = fid_at(client, number);
    if (!*at)
        return false;
    fid_drop(client, at);
    return true;
}

void ninep_fid_drop_pending(struct ninep_client *client, uint32_t number,
                            uint64_t serial)
{
    struct ninep_fid **at = fid_at(client, number);
    if (*at && (*at)->serial == serial && (*at)->kind == NINEP_FID_PENDING)
        fid_drop(client, at);
}

void ninep_fids_leave(struct ninep_client *client)
{
    for (size_t i = 0; i < NINEP_FID_BUCKETS; i++)
        while (client->fids[i])
            fid_drop(client, &client->fids[i]);
}

int ninep_fid_set(struct ninep_client *client, uint32_t number, uint64_t serial,
                  struct ninep_user *user, struct dataset *dataset)
{
    struct ninep_fid *fid = *fid_at(client, number);
    if (!fid || fid->serial != serial)
        return -EBADF; /* a walk to its own fid, which was clunked meanwhile */
    struct ninep_fid before = *fid;
    fid->kind = dataset ? NINEP_FID_FILE : NINEP_FID_ROOT;
    fid->is_open = false;
    fid->user = ninep_user_ref(user);
    fid->dataset = dataset;
    if (dataset)
        dataset->refs++;
    fid->names = NULL;
    fid->credential = NULL;
    fid_clear(client, &before);
    return 0;
}

struct ninep_qid ninep_qid_of_dataset(const struct digest *name)
{
    return (struct ninep_qid){ NINEP_QID_FILE, bytes_u64(name->bytes) };
}

struct ninep_qid ninep_qid_of(const struct ninep_fid *fid)
{
    if (fid->dataset)
        return ninep_qid_of_dataset(&fid->dataset->name);
    if (fid->kind == NINEP_FID_AUTH)
        return (struct ninep_qid){ NINEP_QID_AUTH, AUTH_PATH };
    return (struct ninep_qid){ NINEP_QID_DIRECTORY, ROOT_PATH };
}

struct ninep_user *ninep_user_new(const struct reader *reader)
{
    struct ninep_user *user = malloc(sizeof *user);
    if (user)
        *user = (struct ninep_user){ 1, *reader };
    return user;
}

struct ninep_user *ninep_user_ref(struct ninep_user *user)
{
    user->refs++;
    return user;
}

void ninep_user_unref(struct ninep_user *user)
{
    if (user && --user->refs == 0)
        free(user);
}
