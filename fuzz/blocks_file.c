/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_blocks_file - a good file of blocks, into which the input is written.
 *
 * The input is changes: offset in two bytes, value in one.  Without any, all is there.
 */
#include "blocks/block_file.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>

#define BLOCKS 12
#define FILE_MAX 8192

static uint8_t good[FILE_MAX];
static size_t good_size;

static void make_good(void)
{
    char dir[] = "/tmp/baro-fuzz.XXXXXX", path[64];
    AUTO(block_writer_close) struct block_writer *writer = NULL;
    fuzz_check(mkdtemp(dir) != NULL);
    (void)snprintf(path, sizeof path, "%s/blocks", dir);
    fuzz_check(block_writer_open(path, 1, 0, &writer, NULL) == 0);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        int64_t times[100];
        double values[100];
        uint32_t offset;
        for (int n = 0; n < 100; n++) {
            times[n] = 1000000 + i * 1000000 + n * (i % 2 ? 1000 : 1001);
            values[n] = (double)(n * i) / 10;
        }
        struct block_buffer buffer;
        const struct block *block =
            block_encode(&buffer, i % 2 ? 1000 : 0, times, values, 100);
        fuzz_check(block_writer_add(writer, i % 4 + 1, block, &offset) == 0);
    }
    fuzz_check(block_writer_finish(writer, NULL) == 0);
    AUTO_FCLOSE FILE *f = fopen(path, "re");
    fuzz_check(f != NULL);
    good_size = fread(good, 1, sizeof good, f);
    fuzz_check(good_size < sizeof good);
    (void)unlink(path);
    (void)rmdir(dir);
}

static size_t count_whole(const struct block_file *file)
{
    size_t whole = 0;
    for (uint32_t number = 0; number < 6; number++) {
        size_t count;
        const struct block_entry *entries = block_file_find(file, number, &count);
        for (size_t i = 0; i < count; i++) {
            struct samples samples;
            const struct block *block =
                block_file_at(file, entries[i].offset, entries[i].number);
            whole += block && block_decode(block, &samples) == 0;
        }
    }
    return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[FILE_MAX];
    char path[64];
    AUTO(block_file_close) struct block_file *file = NULL;
    if (good_size == 0)
        make_good();
    memcpy(bytes, good, good_size);
    bool is_changed = false;
    for (size_t i = 0; i + 3 <= size; i += 3) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % good_size;
        bytes[at] ^= data[i + 2];
    }
    is_changed = memcmp(bytes, good, good_size) != 0;
    AUTO_CLOSE int fd = memfd_create("blocks", MFD_CLOEXEC);
    fuzz_check(fd >= 0 && write(fd, bytes, good_size) == (ssize_t)good_size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (block_file_open(path, &file, NULL) < 0)
        return fuzz_check(is_changed), 0;
    size_t whole = count_whole(file);
    fuzz_check(whole == BLOCKS || (is_changed && whole < BLOCKS));
    return 0;
}
