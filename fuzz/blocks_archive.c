/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_blocks_archive - a good archive, into which the input is written.
 *
 * The input is changes: offset in two bytes, value in one.  Without any, all is there.
 * With a byte left over the checksums are made right again, as by somebody who means
 * it: then only the bounds keep us.
 */
#include "base/span.h"
#include "blocks/archive_file.h"
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <xxhash.h>

#define BLOCKS 12
#define FILE_MAX 8192

/* doc/formats/store-files.md */
#define HEADER_CHECKED 24
#define FOOTER_BYTES 64
#define FOOTER_CHECKED 48

static uint8_t good[FILE_MAX];
static size_t good_size;

static void add_blocks(struct archive_writer *writer)
{
    for (uint32_t i = 0; i < BLOCKS; i++) {
        int64_t times[100];
        double values[100];
        for (int n = 0; n < 100; n++) {
            times[n] = 1000000 + i * 1000000 + n * 1000;
            values[n] = (double)(n * i) / 10;
        }
        struct block_buffer buffer;
        struct block *block = block_encode(&buffer, 1000, times, values, 100);
        block->is_filed = 1;
        fuzz_check(archive_writer_add(writer, i / 4 + 1, 7, block) == 0);
    }
}

static void make_good(void)
{
    char dir[] = "/tmp/baro-fuzz.XXXXXX", path[64];
    AUTO(archive_writer_close) struct archive_writer *writer = NULL;
    fuzz_check(mkdtemp(dir) != NULL);
    (void)snprintf(path, sizeof path, "%s/archive", dir);
    fuzz_check(archive_writer_open(path, 1, &writer, NULL) == 0);
    add_blocks(writer);
    for (uint32_t i = 1; i <= BLOCKS / 4; i++) {
        struct record_name name = { i, SPAN("c/h"), SPAN("load"), 1000 };
        fuzz_check(archive_writer_name(writer, &name) == 0);
    }
    fuzz_check(archive_writer_finish(writer, NULL) == 0);
    AUTO_FCLOSE FILE *f = fopen(path, "re");
    fuzz_check(f != NULL);
    good_size = fread(good, 1, sizeof good, f);
    fuzz_check(good_size < sizeof good);
    (void)unlink(path);
    (void)rmdir(dir);
}

static int count_name(void *arg, const struct record_name *name)
{
    size_t *names = arg;
    *names += name->path.size > 0;
    return 0;
}

static size_t count_whole(const struct archive_file *file)
{
    size_t whole = 0, names = 0;
    for (uint32_t number = 0; number < 6; number++) {
        size_t count;
        const struct archive_entry *entries = archive_file_find(file, number, &count);
        for (size_t i = 0; i < count; i++) {
            struct samples samples;
            void *frame = NULL;
            if (archive_file_unpack(file, entries[i].frame, &frame) < 0)
                continue;
            const struct block *block = archive_file_at(file, &entries[i], frame);
            whole += block && block_decode(block, &samples) == 0;
            free(frame);
        }
    }
    (void)archive_file_names(file, count_name, &names);
    return whole;
}

static void put_checksum(uint8_t *at, uint64_t sum)
{
    memcpy(at, &sum, sizeof sum);
}

static void repair(uint8_t *bytes, size_t size)
{
    uint8_t *footer = bytes + size - FOOTER_BYTES;
    uint64_t numbers[4]; /* offset and size of names, count of entries, of frames */
    put_checksum(bytes + HEADER_CHECKED, XXH3_64bits(bytes, HEADER_CHECKED));
    memcpy(numbers, footer, sizeof numbers);
    size_t room = size - FOOTER_BYTES;
    for (size_t i = 0; i < numbers[3] && i < room / sizeof(struct archive_frame); i++) {
        uint8_t *at = footer - (i + 1) * sizeof(struct archive_frame);
        struct archive_frame frame;
        memcpy(&frame, at, sizeof frame);
        if (frame.at > size || frame.packed_size > size - frame.at)
            continue;
        frame.checksum = XXH3_64bits(bytes + frame.at, frame.packed_size);
        memcpy(at, &frame, sizeof frame);
    }
    if (numbers[0] <= room)
        put_checksum(footer + FOOTER_CHECKED,
                     XXH3_64bits_withSeed(bytes + numbers[0], room - numbers[0],
                                          XXH3_64bits(footer, FOOTER_CHECKED)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t bytes[FILE_MAX];
    char path[64];
    AUTO(archive_file_close) struct archive_file *file = NULL;
    if (good_size == 0)
        make_good();
    memcpy(bytes, good, good_size);
    for (size_t i = 0; i + 3 <= size; i += 3) {
        size_t at = (data[i] | (size_t)data[i + 1] << 8) % good_size;
        bytes[at] ^= data[i + 2];
    }
    bool is_repaired = size % 3 == 1;
    if (is_repaired)
        repair(bytes, good_size);
    bool is_changed = memcmp(bytes, good, good_size) != 0;
    AUTO_CLOSE int fd = memfd_create("archive", MFD_CLOEXEC);
    fuzz_check(fd >= 0 && write(fd, bytes, good_size) == (ssize_t)good_size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (archive_file_open(path, &file, NULL) < 0)
        return fuzz_check(is_changed), 0;
    size_t whole = count_whole(file);
    fuzz_check(is_repaired || whole == BLOCKS || (is_changed && whole < BLOCKS));
    return 0;
}
