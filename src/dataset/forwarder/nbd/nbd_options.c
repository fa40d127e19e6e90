/* SPDX-License-Identifier: Apache-2.0 */
/* nbd_options - the NBD door until an export is chosen. */
#include "base/span.h"
#include "base/strbuf.h"
#include "dataset/forwarder/nbd/nbd_client.h"

#define OPTIONS_MAX 256U
#define LISTS_MAX 4U
#define LIST_BYTES_MAX (4U << 20)
#define ZEROES 124U

static void option_reply(struct nbd_client *client, uint32_t type)
{
    uint8_t head[NBD_OPTION_REPLY_HEAD_SIZE];
    nbd_option_reply(head, client->option, type, 0);
    channel_send(&client->client.channel, head, sizeof head, NULL, 0, 0);
}

static void requests_begin(struct nbd_client *client)
{
    client->phase = NBD_PHASE_REQUESTS;
    client_set_welcome(&client->client);
}

/* ---- an export ---- */

static void export_describe(const struct nbd_client *client, uint8_t *ret)
{
    nbd_put_u64(ret, client->dataset->index.image_bytes);
    nbd_put_u16(ret + 8, NBD_EXPORT_FLAGS);
}

static void export_begin(struct nbd_client *client)
{
    static const uint8_t zeroes[ZEROES];
    uint8_t head[10];
    export_describe(client, head);
    channel_send(&client->client.channel, head, sizeof head, NULL, 0, 0);
    for (size_t sent = 0; !client->has_no_zeroes && sent < ZEROES; sent += ZEROES / 4)
        channel_send(&client->client.channel, zeroes, ZEROES / 4, NULL, 0, 0);
    requests_begin(client);
}

static void info_send(struct nbd_client *client, const uint8_t *info, uint32_t size)
{
    uint8_t head[CHANNEL_HEAD_MAX];
    nbd_option_reply(head, client->option, NBD_REP_INFO, size);
    memcpy(head + NBD_OPTION_REPLY_HEAD_SIZE, info, size);
    channel_send(&client->client.channel, head, NBD_OPTION_REPLY_HEAD_SIZE + size, NULL,
                 0, 0);
}

static void name_send(struct nbd_client *client)
{
    uint8_t head[NBD_OPTION_REPLY_HEAD_SIZE + 2];
    AUTO(payload_unref) struct payload *text = payload_new(DIGEST_TEXT_SIZE - 1);
    if (!text)
        return;
    memcpy(text->data, client->dataset->text, text->size);
    nbd_option_reply(head, client->option, NBD_REP_INFO, 2 + text->size);
    nbd_put_u16(head + NBD_OPTION_REPLY_HEAD_SIZE, NBD_INFO_NAME);
    channel_send(&client->client.channel, head, sizeof head, text, 0, text->size);
}

static void infos_send(struct nbd_client *client)
{
    uint8_t exported[12], blocks[14];
    nbd_put_u16(exported, NBD_INFO_EXPORT);
    export_describe(client, exported + 2);
    info_send(client, exported, sizeof exported);
    nbd_put_u16(blocks, NBD_INFO_BLOCK_SIZE);
    nbd_put_u32(blocks + 2, NBD_BLOCK_MIN);
    nbd_put_u32(blocks + 6, NBD_BLOCK_PREFERRED);
    nbd_put_u32(blocks + 10, NBD_BLOCK_MAX);
    if (client->info.wants_block_size)
        info_send(client, blocks, sizeof blocks);
    if (client->info.wants_name)
        name_send(client);
    option_reply(client, NBD_REP_ACK);
}

static void dataset_release(struct nbd_client *client)
{
    dataset_unref(client->server->datasets, client->dataset);
    client->dataset = NULL;
}

static void lookup_end(struct nbd_client *client, int rc)
{
    if (rc < 0 && client->option == NBD_OPT_EXPORT_NAME) {
        /* There is no other reply to it. */
        channel_end_later(&client->client.channel, "there is no such export");
        return;
    }
    if (rc == -ETIMEDOUT || rc == -EBUSY) /* not now, which is not that there is none */
        option_reply(client, NBD_REP_ERR_SHUTDOWN);
    else if (rc == -EACCES)
        option_reply(client, NBD_REP_ERR_POLICY);
    else if (rc < 0)
        option_reply(client, NBD_REP_ERR_UNKNOWN);
    else if (client->option == NBD_OPT_EXPORT_NAME)
        export_begin(client);
    else
        infos_send(client);
    if (rc == 0 && client->option == NBD_OPT_GO)
        requests_begin(client);
    if (client->phase != NBD_PHASE_REQUESTS)
        dataset_release(client);
}

static void option_resume(struct nbd_client *client)
{
    client->is_busy = false;
    if (client->client.channel.is_closed)
        return;
    client_set_waiting(&client->client, false);
    channel_resume(&client->client.channel);
}

/* Who is not known does not find out which names there are. */
static void on_permit(void *arg, int rc)
{
    struct nbd_client *client = arg;
    bool is_known = client->client.reader.uid != READER_UNKNOWN;
    if (rc == -EACCES)
        client_denied(&client->client, &client->client.reader, client->dataset->text);
    if (rc == -EACCES || rc == -EFBIG)
        rc = is_known ? -EACCES : -ENOENT;
    lookup_end(client, rc);
    option_resume(client);
}

static void on_dataset(struct dataset_waiter *waiter, int rc, struct dataset *dataset)
{
    struct nbd_client *client =
        (struct nbd_client *)((char *)waiter - offsetof(struct nbd_client, lookup));
    client->dataset = dataset;
    if (rc == 0 && !client->client.reader.is_trusted) {
        permit_begin(client->server->leases, &dataset->name, &client->client.reader,
                     on_permit, client, &client->permit);
        return;
    }
    lookup_end(client, rc);
    option_resume(client);
}

static void option_wait(struct nbd_client *client)
{
    client->is_busy = true;
    client_set_waiting(&client->client, true);
    channel_pause(&client->client.channel);
}

static void lookup_begin(struct nbd_client *client, struct span name)
{
    option_wait(client);
    client->lookup.done = on_dataset;
    datasets_find(client->server->datasets, name, &client->lookup);
}

/* ---- the list ---- */

static void name_add(struct strbuf *out, struct span name)
{
    uint8_t head[NBD_OPTION_REPLY_HEAD_SIZE + 4];
    if (!name.size || out->size > LIST_BYTES_MAX)
        return;
    nbd_option_reply(head, NBD_OPT_LIST, NBD_REP_SERVER, (uint32_t)name.size + 4);
    nbd_put_u32(head + NBD_OPTION_REPLY_HEAD_SIZE, (uint32_t)name.size);
    strbuf_add(out, head, sizeof head);
    strbuf_add(out, name.data, name.size);
}

/* In one piece: a part for each name would need more memory than the names. */
static struct payload *names_replies(const struct payload *names)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    struct span rest = { (const char *)names->data, names->size }, line, word;
    while (rest.size) {
        (void)span_cut(&rest, '\n', &line);
        (void)span_cut(&line, '\t', &word);
        name_add(&out, word);
        while (line.size) {
            (void)span_cut(&line, ' ', &word);
            name_add(&out, word);
        }
    }
    struct payload *replies = strbuf_error(&out) ? NULL : payload_new(out.size);
    if (replies && out.size)
        memcpy(replies->data, out.data, out.size);
    return replies;
}

static void names_reply(struct nbd_client *client, const struct payload *names)
{
    AUTO(payload_unref) struct payload *replies = names_replies(names);
    if (replies)
        channel_send(&client->client.channel, NULL, 0, replies, 0, replies->size);
    else
        /* Half a list would seem to be all. */
        channel_end_later(&client->client.channel, "memory is out");
}

static void on_names(struct dataset_names *names, int rc, struct payload *payload)
{
    struct nbd_names *request = (struct nbd_names *)names;
    struct nbd_client *client = request->client;
    if (client) {
        client->names = NULL;
        if (rc == 0)
            names_reply(client, payload);
        option_reply(client, rc == 0 ? NBD_REP_ACK : NBD_REP_ERR_SHUTDOWN);
        option_resume(client);
    }
    payload_unref(payload);
    free(request);
}

static int list_begin(struct nbd_client *client)
{
    struct nbd_names *request = calloc(1, sizeof *request);
    if (!request)
        return -ENOMEM;
    request->names.done = on_names;
    request->client = client;
    client->names = request;
    option_wait(client);
    datasets_names(client->server->datasets, &request->names);
    return 0;
}

/* ---- options ---- */

static void empty_option_serve(struct nbd_client *client, struct span data)
{
    if (data.size) {
        option_reply(client, NBD_REP_ERR_INVALID);
    } else if (client->option == NBD_OPT_STRUCTURED_REPLY) {
        client->is_structured = true;
        option_reply(client, NBD_REP_ACK);
    } else if (++client->list_count > LISTS_MAX || !client->client.reader.is_trusted) {
        option_reply(client, NBD_REP_ERR_POLICY);
    } else if (list_begin(client) < 0) {
        option_reply(client, NBD_REP_ERR_TOO_BIG);
    }
}

static void option_serve(struct nbd_client *client, const struct nbd_option *option)
{
    client->option = option->code;
    switch (option->code) {
    case NBD_OPT_EXPORT_NAME:
        lookup_begin(client, option->data);
        return;
    case NBD_OPT_INFO:
    case NBD_OPT_GO:
        if (nbd_info_request_read(option->data, &client->info) < 0)
            option_reply(client, NBD_REP_ERR_INVALID);
        else
            lookup_begin(client, client->info.name);
        return;
    case NBD_OPT_LIST:
    case NBD_OPT_STRUCTURED_REPLY:
        empty_option_serve(client, option->data);
        return;
    default:
        option_reply(client, NBD_REP_ERR_UNSUP);
    }
}

static int flags_receive(struct nbd_client *client, struct span in, size_t *ret_used)
{
    if (in.size < 4)
        return 0;
    uint32_t flags = nbd_u32((const uint8_t *)in.data);
    if (flags & ~(NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES))
        return -EBADMSG;
    client->has_no_zeroes = flags & NBD_FLAG_NO_ZEROES;
    client->phase = NBD_PHASE_OPTIONS;
    *ret_used = 4;
    return 0;
}

int nbd_options_receive(struct nbd_client *client, struct span in, size_t *ret_used)
{
    struct nbd_option option;
    size_t used = 0;
    if (client->is_busy)
        return 0;
    if (channel_is_full(&client->client.channel)) {
        channel_pause(&client->client.channel); /* until it has read replies */
        return 0;
    }
    if (client->phase == NBD_PHASE_FLAGS)
        return flags_receive(client, in, ret_used);
    int rc = nbd_option_read(in, &option, &used);
    if (rc > 0)
        return 0;
    if (rc < 0 || ++client->option_count > OPTIONS_MAX)
        return -EBADMSG;
    *ret_used = used;
    if (option.code == NBD_OPT_ABORT) {
        client->option = option.code;
        option_reply(client, NBD_REP_ACK);
        client->is_ended = true;
        return 0;
    }
    option_serve(client, &option);
    return 0;
}

void nbd_options_greet(struct nbd_client *client)
{
    uint8_t head[18];
    nbd_put_u64(head, NBD_MAGIC);
    nbd_put_u64(head + 8, NBD_OPTION_MAGIC);
    nbd_put_u16(head + 16, NBD_FLAG_FIXED_NEWSTYLE | NBD_FLAG_NO_ZEROES);
    channel_send(&client->client.channel, head, sizeof head, NULL, 0, 0);
}

void nbd_options_leave(struct nbd_client *client)
{
    datasets_leave(&client->lookup);
    lease_leave(&client->permit);
    if (client->names) {
        client->names->client = NULL;
        if (datasets_names_leave(&client->names->names))
            free(client->names);
        client->names = NULL;
    }
    dataset_release(client);
}
