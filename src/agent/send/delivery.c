/* SPDX-License-Identifier: Apache-2.0 */
/* delivery - one batch to barod: posted, the response judged, and what follows. */
#include "agent/send/delivery.h"

#include "agent/packed.h"
#include "agent/send/split_progress.h"
#include "spool/spool.h"

#include <stdatomic.h>
#include <string.h>

#define JSON_BYTES_MAX (UINT64_C(256) << 20)
#define BODY_SHOWN_MAX 300

struct delivery {
    struct delivery_opts opts;
    struct refused *refused;
    struct split_progress progress; /* of the batch under way */
    struct net_response response;
    int64_t retry_after_s;
    bool was_away;
    struct {
        _Atomic uint64_t batches, entries, bytes, refused_batches, set_aside_entries,
            refused_entries, split_batches;
    } counts;
};

/* One message: the batch, or a part of it. */
struct message {
    struct span payload;
    uint32_t entries;
};

static int body_shown(const struct delivery *d)
{
    size_t size = d->response.body.size;
    return (int)(size < BODY_SHOWN_MAX ? size : BODY_SHOWN_MAX);
}

/* ---- what follows from a verdict ---- */

static enum delivery_outcome accept_message(struct delivery *d,
                                            const struct message *message,
                                            const struct batch_response *response)
{
    d->counts.batches++;
    d->counts.entries += message->entries;
    d->counts.bytes += message->payload.size;
    d->counts.refused_entries += response->refused;
    if (response->refused)
        agent_report(d->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_BATCH_REFUSED,
                     "the server refused %llu entries of a batch of %u: %s",
                     (unsigned long long)response->refused, message->entries,
                     response->error_count ? response->errors[0].reason
                                           : "no reason given");
    return DELIVERY_DONE;
}

/* What no server will ever accept is stored for a person to look at.  Where that fails
 * it stays in the spool. */
static enum delivery_outcome set_aside(struct delivery *d,
                                       const struct message *message)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    struct err err = { 0 };
    int rc = refused_store(d->refused, message->payload, &path, &err);
    if (rc < 0) {
        agent_report(d->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_BATCH_REFUSED,
                     "the server refused a batch of %u entries (%u), which cannot be "
                     "stored: %s; it stays in the spool, and those behind it wait",
                     message->entries, d->response.status,
                     err.text[0] ? err.text : strerror(-rc));
        return DELIVERY_LATER;
    }
    d->counts.refused_batches++;
    d->counts.set_aside_entries += message->entries;
    agent_report(d->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_BATCH_REFUSED,
                 "the server refused a batch of %u entries (%u): %.*s; it is stored in "
                 "'%s' and not sent again",
                 message->entries, d->response.status, body_shown(d),
                 strbuf_text(&d->response.body), strbuf_text(&path));
    return DELIVERY_DONE;
}

/* A person must mend it. */
static void report_unwanted(struct delivery *d)
{
    struct err err = { 0 };
    if (net_response_check(&d->response, &err) == 0)
        err_set(&err, EPROTO, "what responds %u there is not barod",
                d->response.status);
    agent_report(d->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_SERVER_AWAY,
                 "%s: our batches are not accepted, and wait in the spool; see server "
                 "and token_file",
                 err.text);
}

static void report_away(struct delivery *d, const char *why)
{
    if (d->was_away)
        return;
    d->was_away = true;
    if (why)
        agent_report(d->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_ONCE,
                     "%s; batches wait in the spool", why);
}

static void report_back(struct delivery *d)
{
    if (!d->was_away)
        return;
    d->was_away = false;
    agent_report(d->opts.report, LOG_LEVEL_NOTICE, AGENT_EVENT_ONCE,
                 "the server accepts batches again");
}

/* Post one message and see to what follows, but for one that is too large. */
static enum delivery_outcome post_message(struct delivery *d,
                                          const struct message *message,
                                          bool *ret_is_too_large)
{
    struct err err = { 0 };
    struct batch_response response;
    char status[64];
    *ret_is_too_large = false;
    d->retry_after_s = -1;
    int rc = d->opts.post_fn(d->opts.post_arg, message->payload, &d->response, &err);
    if (rc < 0) {
        report_away(d, err.text[0] ? err.text : strerror(-rc));
        return DELIVERY_LATER;
    }
    enum delivery_outcome outcome = DELIVERY_LATER;
    switch (delivery_judge(d->response.status, strbuf_span(&d->response.body),
                           message->entries, &response)) {
    case VERDICT_ACCEPTED:
        outcome = accept_message(d, message, &response);
        break;
    case VERDICT_TOO_LARGE:
        *ret_is_too_large = true;
        return DELIVERY_LATER;
    case VERDICT_REFUSED:
        outcome = set_aside(d, message);
        if (outcome == DELIVERY_LATER)
            report_away(d, NULL); /* with its reason, already */
        break;
    case VERDICT_UNWANTED:
        report_unwanted(d);
        report_away(d, NULL);
        break;
    case VERDICT_AWAY:
        (void)snprintf(status, sizeof status, "the server responds with %u",
                       d->response.status);
        report_away(d, status);
        break;
    }
    d->retry_after_s = d->response.retry_after_s;
    if (outcome == DELIVERY_DONE)
        report_back(d);
    return outcome;
}

/* ---- parts ---- */

static enum delivery_outcome send_halves(struct delivery *d,
                                         const struct batch_parts *parts,
                                         const struct batch_part *part,
                                         const struct uuid *key);

static enum delivery_outcome send_part_whole(struct delivery *d,
                                             const struct batch_parts *parts,
                                             const struct batch_part *part,
                                             bool *ret_is_too_large)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf payload = STRBUF_INIT;
    int rc = batch_parts_encode(parts, part, &json);
    if (rc == 0)
        rc = packed_write(strbuf_span(&json), &payload);
    if (rc < 0)
        return DELIVERY_LATER;
    strbuf_done(&json);
    const struct message message = { strbuf_span(&payload),
                                     (uint32_t)(part->end - part->first) };
    return post_message(d, &message, ret_is_too_large);
}

static enum delivery_outcome send_part(struct delivery *d,
                                       const struct batch_parts *parts,
                                       const struct batch_part *part)
{
    enum split_state state = split_progress_get(&d->progress, &part->name);
    enum delivery_outcome outcome = DELIVERY_LATER;
    bool is_too_large = state == SPLIT_BEGUN;
    if (state == SPLIT_DONE)
        return DELIVERY_DONE;
    if (!is_too_large)
        outcome = send_part_whole(d, parts, part, &is_too_large);
    if (is_too_large)
        outcome = send_halves(d, parts, part, &part->name);
    if (outcome == DELIVERY_DONE)
        split_progress_set(&d->progress, &part->name, SPLIT_DONE);
    return outcome;
}

static void count_split(struct delivery *d, const struct batch_parts *parts,
                        const struct batch_part *part)
{
    uint64_t bad = part->is_whole ? batch_parts_bad_count(parts) : 0;
    d->counts.split_batches++;
    d->counts.refused_entries += bad;
    if (bad)
        agent_report(d->opts.report, LOG_LEVEL_WARN, AGENT_EVENT_BATCH_REFUSED,
                     "%llu entries of a batch that was too large for the server are "
                     "not entries (%s), and are left out of its halves",
                     (unsigned long long)bad, batch_parts_bad_reason(parts));
}

/* Both halves, in order; key: what progress knows the part by. */
static enum delivery_outcome send_halves(struct delivery *d,
                                         const struct batch_parts *parts,
                                         const struct batch_part *part,
                                         const struct uuid *key)
{
    struct batch_part halves[2];
    enum delivery_outcome outcome = DELIVERY_DONE;
    if (batch_parts_halve(parts, part, halves) < 0)
        return DELIVERY_LATER;
    if (split_progress_get(&d->progress, key) == SPLIT_NONE) {
        count_split(d, parts, part);
        split_progress_set(&d->progress, key, SPLIT_CUT);
    }
    for (int i = 0; i < 2 && outcome == DELIVERY_DONE; i++) {
        outcome = send_part(d, parts, &halves[i]);
        if (split_progress_get(&d->progress, &halves[i].name) >= SPLIT_BEGUN)
            split_progress_set(&d->progress, key, SPLIT_BEGUN);
    }
    return outcome;
}

/* ---- the whole ---- */

/* What is too large, and cannot be cut. */
static enum delivery_outcome refuse_whole(struct delivery *d,
                                          const struct message *message,
                                          const char *reason)
{
    struct batch_response ignored;
    agent_report(d->opts.report, LOG_LEVEL_ERROR, AGENT_EVENT_BATCH_REFUSED,
                 "a batch of %u entries is too large for the server (413), and cannot "
                 "be split: %s; see body_max in barod.conf",
                 message->entries, reason);
    /* As if it were as small as a batch can be. */
    enum verdict verdict =
        delivery_judge(d->response.status, strbuf_span(&d->response.body), 1, &ignored);
    return verdict == VERDICT_REFUSED ? set_aside(d, message) : DELIVERY_LATER;
}

static int decode_whole(const struct message *message, struct batch_parts **ret,
                        struct err *err)
{
    AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
    AUTO(batch_parts_free) struct batch_parts *parts = NULL;
    int rc = packed_read(message->payload, JSON_BYTES_MAX, &json);
    if (rc == 0)
        rc = batch_parts_new(strbuf_span(&json), &parts, err);
    if (rc < 0)
        return rc;
    struct batch_part whole = batch_parts_whole(parts);
    if (whole.end - whole.first < 2)
        return err_set(err, ENODATA, "a batch of one row");
    *ret = TAKE(parts);
    return 0;
}

static enum delivery_outcome send_in_parts(struct delivery *d, const struct uuid *key,
                                           const struct message *message)
{
    AUTO(batch_parts_free) struct batch_parts *parts = NULL;
    struct err err = { 0 };
    int rc = decode_whole(message, &parts, &err);
    if (rc == -ENOMEM)
        return DELIVERY_LATER;
    if (rc < 0)
        return refuse_whole(d, message, err.text[0] ? err.text : strerror(-rc));
    struct batch_part whole = batch_parts_whole(parts);
    return send_halves(d, parts, &whole, key);
}

enum delivery_outcome delivery_send(struct delivery *d, uint64_t sequence,
                                    struct span payload, uint32_t entries)
{
    static const struct uuid whole = { .bytes = { 0 } };
    const struct message message = { payload, entries };
    enum delivery_outcome outcome = DELIVERY_LATER;
    split_progress_of(&d->progress, sequence);
    bool is_too_large = split_progress_get(&d->progress, &whole) == SPLIT_BEGUN;
    if (!is_too_large)
        outcome = post_message(d, &message, &is_too_large);
    if (is_too_large)
        outcome = send_in_parts(d, &whole, &message);
    return outcome;
}

/* ---- making, counting ---- */

int delivery_new(const struct delivery_opts *opts, struct delivery **ret)
{
    struct delivery *d = calloc(1, sizeof *d);
    if (!d)
        return -ENOMEM;
    d->opts = *opts;
    d->retry_after_s = -1;
    int rc = refused_open(opts->refused_dir, &d->refused);
    if (rc < 0) {
        free(d);
        return rc;
    }
    *ret = d;
    return 0;
}

void delivery_free(struct delivery *delivery)
{
    if (!delivery)
        return;
    refused_free(delivery->refused);
    net_response_done(&delivery->response);
    free(delivery);
}

int64_t delivery_retry_after_s(const struct delivery *delivery)
{
    return delivery->retry_after_s;
}

void delivery_count(struct delivery *d, struct delivery_counts *ret)
{
    *ret = (struct delivery_counts){
        .batches = d->counts.batches,
        .entries = d->counts.entries,
        .bytes = d->counts.bytes,
        .refused_batches = d->counts.refused_batches,
        .set_aside_entries = d->counts.set_aside_entries,
        .refused_entries = d->counts.refused_entries,
        .split_batches = d->counts.split_batches,
    };
}
