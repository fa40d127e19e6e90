/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_walks - names are walked to: a dataset, where the user may read it. */
#include "base/span.h"
#include "dataset/forwarder/ninep/ninep_client.h"

/* The root, as often as it was walked to, and the dataset. */
static void walked_send(struct ninep_client *client, uint16_t tag, uint16_t walked,
                        const struct dataset *dataset)
{
    static const struct ninep_fid root = { .kind = NINEP_FID_ROOT };
    const struct ninep_qid up = ninep_qid_of(&root);
    struct ninep_response response;
    ninep_response_begin(&response, NINEP_TWALK + 1, tag);
    ninep_put_u16(&response, (uint16_t)(walked + (dataset != NULL)));
    for (uint16_t i = 0; i < walked; i++)
        ninep_put_qid(&response, &up);
    if (dataset) {
        const struct ninep_qid qid = ninep_qid_of_dataset(&dataset->name);
        ninep_put_qid(&response, &qid);
    }
    ninep_send(client, &response);
}

/* A name that is not there is an error where it is the first one; else the names before
 * it were walked, and there is no new fid. */
static void walk_end(struct ninep_request *request, int rc)
{
    struct ninep_client *client = request->client;
    if (rc == 0 && request->is_last_name)
        rc = ninep_fid_set(client, request->newfid, request->newfid_serial,
                           request->user, request->dataset);
    if (rc < 0 && request->walked == 0)
        ninep_fail(client, request->tag, rc);
    else
        walked_send(client, request->tag, request->walked,
                    rc < 0 ? NULL : request->dataset);
    ninep_request_end(request);
}

/* Who is not known does not find out which names there are. */
static void lookup_end(struct ninep_request *request, int rc)
{
    bool is_known = request->user->reader.uid != READER_UNKNOWN;
    if (rc == -EFBIG)
        rc = -EACCES;
    walk_end(request, !is_known && (rc == -EACCES || rc == -EINVAL) ? -ENOENT : rc);
}

static void on_permit(void *arg, int rc)
{
    struct ninep_request *request = arg;
    if (rc == -EACCES)
        client_denied(&request->client->client, &request->user->reader,
                      request->dataset->text);
    lookup_end(request, rc);
}

static void on_walked(struct dataset_waiter *waiter, int rc, struct dataset *dataset)
{
    struct ninep_request *request =
        (struct ninep_request *)((char *)waiter -
                                 offsetof(struct ninep_request, lookup));
    request->dataset = dataset;
    if (rc == 0 && !request->user->reader.is_trusted)
        permit_begin(request->client->server->leases, &dataset->name,
                     &request->user->reader, on_permit, request, &request->permit);
    else
        lookup_end(request, rc);
}

/* From the root: "..", and ".", which diodls walks to. */
static bool is_root(struct span name)
{
    return span_eq(name, SPAN("..")) || span_eq(name, SPAN("."));
}

static bool may_be_name(struct span name)
{
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '/' || name.data[i] <= ' ' || name.data[i] > '~')
            return false;
    return name.size > 0 && name.size <= DATASET_TAG_MAX && name.data[0] != '-';
}

static void dataset_walk(struct ninep_client *client, struct ninep_request *request,
                         const struct ninep_message *message)
{
    struct span name = message->names[request->walked];
    request->is_last_name = request->walked + 1 == message->name_count;
    if (!may_be_name(name)) {
        walk_end(request, -ENOENT);
        return;
    }
    request->lookup.done = on_walked;
    request->is_lookup = true;
    client->lookup_count++;
    datasets_find(client->server->datasets, name, &request->lookup);
}

static void names_walk(struct ninep_client *client, struct ninep_request *request,
                       const struct ninep_message *message)
{
    while (request->walked < message->name_count &&
           is_root(message->names[request->walked]))
        request->walked++;
    if (request->walked < message->name_count) {
        dataset_walk(client, request, message);
        return;
    }
    request->is_last_name = true; /* the root again, or the same file */
    walk_end(request, 0);
}

/* Errors: -EBADF, -EMFILE, -ENOMEM, -ENOTDIR; then there is no new fid. */
static int walk_begin(struct ninep_client *client, const struct ninep_message *message,
                      struct ninep_request **ret)
{
    struct ninep_fid *fid = ninep_fid_find(client, message->fid), *added = NULL;
    if (!fid || fid->kind == NINEP_FID_AUTH)
        return -EBADF;
    if (fid->kind == NINEP_FID_FILE && message->name_count)
        return -ENOTDIR;
    int rc = message->newfid == message->fid
                 ? 0
                 : ninep_fid_add(client, message->newfid, &added);
    struct ninep_request *request = rc == 0 ? ninep_request_new(client, message) : NULL;
    if (!request) {
        if (added)
            (void)ninep_fid_remove(client, message->newfid);
        return rc < 0 ? rc : -ENOMEM;
    }
    request->newfid = message->newfid;
    request->newfid_serial = added ? added->serial : fid->serial;
    request->user = ninep_user_ref(fid->user);
    if (message->name_count == 0 && fid->dataset) {
        request->dataset = fid->dataset;
        request->dataset->refs++;
    }
    *ret = request;
    return 0;
}

/* A file's fid has a copy, which is not open. */
static void clone_end(struct ninep_request *request)
{
    struct ninep_client *client = request->client;
    int rc = ninep_fid_set(client, request->newfid, request->newfid_serial,
                           request->user, request->dataset);
    if (rc < 0)
        ninep_fail(client, request->tag, rc);
    else
        walked_send(client, request->tag, 0, NULL);
    ninep_request_end(request);
}

void ninep_walk(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_request *request = NULL;
    int rc = walk_begin(client, message, &request);
    if (rc < 0)
        ninep_fail(client, message->tag, rc);
    else if (message->name_count == 0)
        clone_end(request);
    else
        names_walk(client, request, message);
}
