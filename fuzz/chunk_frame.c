/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_chunk_frame - frames of the chunk protocol: what is read is written again as it
 * was, and bodies have the sizes that those who use them rely on. */
#include "dataset/forwarder/chunk/chunk_frame.h"
#include "base/span.h"
#include "fuzz/fuzz.h"

static void hello_check(struct span body)
{
    uint8_t made[CHUNK_FRAME_HELLO_SIZE];
    struct chunk_hello hello;
    struct err err = { 0 };
    fuzz_check(body.size == sizeof made);
    if (chunk_hello_decode(body, &hello, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return;
    }
    fuzz_check(hello.batch_max > 0 && hello.requests_max >= hello.batch_max);
    chunk_hello_encode(&hello, made);
    fuzz_check(memcmp(made, body.data, sizeof made - 4) == 0);
}

static void push_check(struct span body)
{
    uint8_t made[CHUNK_FRAME_PUSH_SIZE];
    struct chunk_push_head head;
    fuzz_check(body.size >= sizeof made &&
               body.size - sizeof made <= CHUNK_FRAME_PUSH_PART_MAX);
    chunk_push_head_decode(body, &head);
    chunk_push_head_encode(&head, made);
    fuzz_check(memcmp(made, body.data, sizeof made) == 0);
}

static bool is_within(struct span part, struct span body)
{
    return part.size == 0 ||
           (part.data >= body.data && part.data + part.size <= body.data + body.size);
}

/* What is accepted lies in the text, and views of it are views. */
static void facts_check(struct span body)
{
    struct push_facts facts;
    struct err err = { 0 };
    if (push_facts_parse(body, &facts, &err) < 0) {
        fuzz_check(err.text[0] != '\0');
        return;
    }
    fuzz_check(facts.label_count <= DATASET_LABELS_MAX);
    fuzz_check(facts.view_count <= VIEWS_OF_DATASET_MAX);
    fuzz_check(is_within(facts.tag, body) && is_within(facts.source, body));
    for (size_t i = 0; i < facts.label_count; i++)
        fuzz_check(is_within(facts.labels[i], body));
    for (size_t i = 0; i < facts.view_count; i++) {
        fuzz_check(is_within(facts.views[i].text, body));
        fuzz_check(view_check(facts.views[i].text, NULL) == 0);
    }
}

static void body_check(const struct chunk_frame *frame)
{
    switch (frame->type) {
    case CHUNK_FRAME_HELLO:
    case CHUNK_FRAME_WELCOME:
        hello_check(frame->body);
        break;
    case CHUNK_FRAME_CHUNKS:
        fuzz_check(frame->body.size % DIGEST_SIZE == 0);
        fuzz_check(frame->body.size / DIGEST_SIZE <= CHUNK_FRAME_BATCH_MAX);
        for (size_t i = 0; i < frame->body.size / DIGEST_SIZE; i++)
            (void)chunk_frame_digest(frame->body, i);
        break;
    case CHUNK_FRAME_CHUNK:
        fuzz_check(chunk_frame_u32(frame->body) <= CHUNK_FRAME_PLAIN_MAX);
        fuzz_check(frame->body.size - 4 <= chunk_frame_u32(frame->body));
        break;
    case CHUNK_FRAME_INDEX:
        (void)chunk_frame_offset(frame->body);
        break;
    case CHUNK_FRAME_INDEX_PART:
        (void)chunk_frame_total(frame->body);
        break;
    case CHUNK_FRAME_PROOF:
    case CHUNK_FRAME_CHALLENGE:
        fuzz_check(frame->body.size == READER_PROOF_SIZE);
        break;
    case CHUNK_FRAME_IDENTITY:
        fuzz_check(frame->body.size == READER_NONCE_SIZE + READER_PROOF_SIZE);
        break;
    case CHUNK_FRAME_PUSH:
        push_check(frame->body);
        break;
    case CHUNK_FRAME_PUSHED:
        (void)chunk_frame_total(frame->body);
        break;
    case CHUNK_FRAME_PUT:
        (void)chunk_frame_u32(frame->body);
        fuzz_check(chunk_frame_second(frame->body) <= CHUNK_FRAME_PLAIN_MAX);
        fuzz_check(frame->body.size - CHUNK_FRAME_PUT_SIZE <=
                   chunk_frame_second(frame->body));
        break;
    case CHUNK_FRAME_COMMIT:
        facts_check(frame->body);
        break;
    case CHUNK_FRAME_COMMITTED:
        (void)chunk_frame_u32(frame->body);
        (void)chunk_frame_second(frame->body);
        break;
    case CHUNK_FRAME_FAILED:
        (void)chunk_frame_u32(frame->body);
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span in = { (const char *)data, size };
    struct chunk_frame frame;
    struct err err = { 0 };
    size_t used = 0;
    int rc;
    while ((rc = chunk_frame_read(in, &frame, &used, &err)) == 0) {
        uint8_t head[CHUNK_FRAME_HEAD_SIZE];
        fuzz_check(used == sizeof head + frame.body.size && used <= in.size);
        chunk_frame_head(head, &frame, frame.body.size);
        fuzz_check(memcmp(head, in.data, sizeof head) == 0);
        body_check(&frame);
        in = span_skip(in, used);
    }
    fuzz_check(rc > 0 || err.text[0] != '\0');
    return 0;
}
