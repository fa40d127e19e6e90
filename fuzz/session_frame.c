/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_session_frame - frames from a peer: what is read is written again as it was. */
#include "fuzz/fuzz.h"
#include "wire/wire.h"

#define LIMIT 4096

static void read_all(struct span in, enum session_frame_check check)
{
    struct session_frame frame;
    struct err err = { 0 };
    size_t used = 0;
    int rc;
    while ((rc = session_frame_read(in, LIMIT, check, &frame, &used, &err)) == 0) {
        AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
        fuzz_check(used <= in.size && frame.body.size <= LIMIT);
        session_frame_print(&frame, check, &out);
        fuzz_check(out.size == used && memcmp(out.data, in.data, used) == 0);
        in.data += used;
        in.size -= used;
    }
    fuzz_check(rc > 0 || err.text[0] != '\0');
}

/* The first byte: whether the hash of the first frame is made right. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(strbuf_done) struct strbuf made = STRBUF_INIT;
    if (size == 0)
        return 0;
    struct span in = { (const char *)data + 1, size - 1 };
    read_all(in, SESSION_FRAME_HASHED);
    read_all(in, SESSION_FRAME_BY_TLS);
    if (data[0] & 1 && in.size < LIMIT) {
        const struct session_frame frame = { .type = data[0], .body = in };
        session_frame_print(&frame, SESSION_FRAME_HASHED, &made);
        read_all((struct span){ made.data, made.size }, SESSION_FRAME_HASHED);
    }
    return 0;
}
