/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_blocks_log - log files: bytes behind a good header, or, when
 * the first byte is odd, bytes alone.
 */
#include "blocks/log.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <xxhash.h>

struct heard {
    uint64_t records, hash;
};

static int hear(void *arg, struct span payload)
{
    struct heard *h = arg;
    h->records++;
    h->hash ^= XXH3_64bits(payload.data, payload.size); /* touches every byte */
    return 0;
}

/* An empty segment's bytes, made once. */
static size_t make_header(char out[64])
{
    static char header[64];
    static size_t size;
    char dir[] = "/tmp/baro-fuzz.XXXXXX", path[64];
    if (size == 0) {
        AUTO(log_close) struct log *log = NULL;
        fuzz_check(mkdtemp(dir) != NULL);
        (void)snprintf(path, sizeof path, "%s/log", dir);
        fuzz_check(log_create(path, LOG_BATCHES, 1, &log, NULL) == 0);
        AUTO_FCLOSE FILE *f = fopen(path, "re");
        fuzz_check(f != NULL);
        size = fread(header, 1, sizeof header, f);
        (void)unlink(path);
        (void)rmdir(dir);
    }
    memcpy(out, header, size);
    return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char header[64], path[64];
    struct heard h = { 0 };
    struct log_read got;
    if (size == 0)
        return 0;
    size_t header_size = data[0] & 1 ? 0 : make_header(header);
    AUTO_CLOSE int fd = memfd_create("log", MFD_CLOEXEC);
    fuzz_check(fd >= 0);
    fuzz_check(write(fd, header, header_size) == (ssize_t)header_size);
    fuzz_check(write(fd, data + 1, size - 1) == (ssize_t)size - 1);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (log_read(path, hear, &h, &got, NULL) == 0) {
        fuzz_check(got.records == h.records);
        fuzz_check(got.good_bytes <= header_size + size - 1);
        fuzz_check((got.end == LOG_WHOLE) ==
                   (got.good_bytes == header_size + size - 1));
    }
    return 0;
}
