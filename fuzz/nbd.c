/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_nbd - what NBD clients send: options, then requests.  What is accepted is inside
 * of the export and of the bounds. */
#include "base/span.h"
#include "dataset/forwarder/nbd/nbd_option.h"
#include "dataset/forwarder/nbd/nbd_request.h"
#include "fuzz/fuzz.h"

#define EXPORT_BYTES UINT64_C(1000003)

static void info_check(const struct nbd_option *option)
{
    struct nbd_info_request info;
    if (nbd_info_request_read(option->data, &info) < 0)
        return;
    fuzz_check(info.name.data >= option->data.data &&
               info.name.data + info.name.size <=
                   option->data.data + option->data.size);
}

static void options_read(struct span in)
{
    struct nbd_option option;
    size_t used = 0;
    while (nbd_option_read(in, &option, &used) == 0) {
        fuzz_check(used == NBD_OPTION_HEAD_SIZE + option.data.size && used <= in.size);
        fuzz_check(option.data.size <= NBD_OPTION_DATA_MAX);
        info_check(&option);
        in = span_skip(in, used);
    }
}

static void request_check(const struct nbd_request *request)
{
    int error = nbd_request_check(request, EXPORT_BYTES);
    bool is_read =
        request->command == NBD_CMD_READ || request->command == NBD_CMD_CACHE;
    if (!error && is_read)
        fuzz_check(request->size > 0 && request->size <= NBD_BLOCK_MAX &&
                   request->offset < EXPORT_BYTES &&
                   request->size <= EXPORT_BYTES - request->offset);
    fuzz_check(error || is_read || request->command == NBD_CMD_FLUSH);
}

static void requests_read(struct span in)
{
    struct nbd_request request;
    uint32_t payload = 0;
    while (nbd_request_read(in, &request) == 0 &&
           nbd_request_payload(&request, &payload) == 0) {
        fuzz_check(payload <= NBD_BLOCK_MAX);
        request_check(&request);
        in = span_skip(in, (size_t)NBD_REQUEST_SIZE + payload);
    }
}

/* The first byte: which of both. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct span in = { (const char *)data + 1, size - 1 };
    if (data[0] & 1)
        options_read(in);
    else
        requests_read(in);
    return 0;
}
