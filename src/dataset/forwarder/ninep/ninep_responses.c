/* SPDX-License-Identifier: Apache-2.0 */
/* ninep_responses - what a client of the 9P door is sent, and when its requests are
 * read again. */
#include "dataset/forwarder/ninep/ninep_client.h"

void ninep_send(struct ninep_client *client, struct ninep_response *response)
{
    struct channel *channel = &client->client.channel;
    ninep_response_end(response, 0);
    if (response->size <= CHANNEL_HEAD_MAX) {
        channel_send(channel, response->data, response->size, NULL, 0, 0);
        return;
    }
    AUTO(payload_unref) struct payload *body = payload_new(response->size);
    if (!body) {
        channel_end_later(channel, "memory is out");
        return;
    }
    memcpy(body->data, response->data, response->size);
    channel_send(channel, NULL, 0, body, 0, body->size);
}

static uint32_t error_of(int rc)
{
    static const struct {
        int rc;
        enum ninep_error error;
    } errors[] = {
        { -EPERM, NINEP_EPERM },      { -ENOENT, NINEP_ENOENT },
        { -EINVAL, NINEP_EINVAL },    { -EBADF, NINEP_EBADF },
        { -EBUSY, NINEP_EAGAIN },     { -ENOMEM, NINEP_ENOMEM },
        { -EACCES, NINEP_EACCES },    { -ENOTDIR, NINEP_ENOTDIR },
        { -EISDIR, NINEP_EISDIR },    { -EMFILE, NINEP_EMFILE },
        { -EFBIG, NINEP_EFBIG },      { -EROFS, NINEP_EROFS },
        { -ENOTSUP, NINEP_ENOTSUP },  { -ETIMEDOUT, NINEP_ETIMEDOUT },
        { -EHOSTUNREACH, NINEP_EIO },
    };
    for (size_t i = 0; i < COUNT_OF(errors); i++)
        if (errors[i].rc == rc)
            return errors[i].error;
    return NINEP_EIO;
}

void ninep_fail(struct ninep_client *client, uint16_t tag, int rc)
{
    struct ninep_response response;
    ninep_response_begin(&response, NINEP_RLERROR, tag);
    ninep_put_u32(&response, error_of(rc));
    ninep_send(client, &response);
}

void ninep_done(struct ninep_client *client, const struct ninep_message *message)
{
    struct ninep_response response;
    ninep_response_begin(&response, (uint8_t)(message->type + 1), message->tag);
    ninep_send(client, &response);
}

/* Who tries one after the other has munged work for nothing, while others wait. */
void ninep_credential_refused(struct ninep_client *client)
{
    if (++client->refusal_count >= NINEP_REFUSALS_MAX)
        channel_end_later(&client->client.channel, "its credentials were refused");
}

bool ninep_has_capacity(const struct ninep_client *client)
{
    return client->request_count < NINEP_REQUESTS_MAX &&
           client->lookup_count < NINEP_LOOKUPS_MAX &&
           !channel_is_full(&client->client.channel);
}

void ninep_client_resume(struct ninep_client *client)
{
    if (client->client.channel.is_closed || !client->is_stuck ||
        !ninep_has_capacity(client))
        return;
    client->is_stuck = false;
    channel_resume(&client->client.channel);
}
