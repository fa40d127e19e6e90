/* SPDX-License-Identifier: Apache-2.0 */
/* cache_disk - chunks on a disk, by their digests, up to so many bytes. */
#include "dataset/forwarder/cache_disk.h"

#include "base/file.h"
#include "base/hashmap.h"
#include "base/span.h"
#include "dataset/repository/repository.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <xxhash.h>

#define MAGIC "barodsgm"
#define VERSION 1U
#define SUFFIX ".chunks"
#define NUMBER_DIGITS 16U
#define HEADER_SIZE 32U
#define HEADER_HASH_AT 24U
#define SLOT_SIZE 56U
#define SLOT_HASH_AT 48U
#define SLOT_COUNT 4096U
#define TABLE_SIZE (SLOT_COUNT * SLOT_SIZE)
#define DATA_AT (HEADER_SIZE + TABLE_SIZE)
#define SEGMENT_BYTES_MAX (UINT32_C(64) << 20)
#define SEGMENT_BYTES_MIN (UINT32_C(1) << 20)
#define SEGMENTS_MIN 16U
#define OLD_SHARE 4U

struct disk_segment {
    struct disk_segment *newer;
    uint64_t number;
    int fd;
    uint32_t refs; /* of positions and entries, and one while it is part of the cache */
    uint32_t slot_count, end;
    bool is_evicted;
};

struct disk_entry {
    struct disk_segment *segment;
    uint32_t offset, slot, stored, plain;
};

struct cache_disk {
    char dir[PATH_MAX - 64];
    int lock;
    uint64_t bytes_max, bytes, segments_max;
    const struct forwarder_report *report;
    uint32_t segment_bytes;
    struct disk_segment *oldest, *newest;
    uint64_t segment_count, next_number;
    struct hashmap entries;
};

static struct span digest_span(const struct digest *digest)
{
    return (struct span){ (const char *)digest->bytes, DIGEST_SIZE };
}

static void segment_unref(struct disk_segment *segment)
{
    if (--segment->refs)
        return;
    (void)close(segment->fd);
    free(segment);
}

static struct disk_entry *entry_find(const struct cache_disk *disk,
                                     const struct digest *digest)
{
    uintptr_t *value = hashmap_get(&disk->entries, digest_span(digest));
    return value ? (struct disk_entry *)*value
                 : NULL; /* NOLINT(performance-no-int-to-ptr) */
}

static void entry_free(struct disk_entry *entry)
{
    segment_unref(entry->segment);
    free(entry);
}

static void entry_remove(struct cache_disk *disk, const struct digest *digest)
{
    struct disk_entry *entry = entry_find(disk, digest);
    if (!entry)
        return;
    (void)hashmap_remove(&disk->entries, digest_span(digest));
    entry_free(entry);
}

static int entry_add(struct cache_disk *disk, const struct digest *digest,
                     const struct disk_entry *entry)
{
    struct disk_entry *copy = malloc(sizeof *copy);
    entry_remove(disk, digest);
    uintptr_t *value =
        copy ? hashmap_put(&disk->entries, digest_span(digest), NULL) : NULL;
    if (!value) {
        free(copy);
        return -ENOMEM;
    }
    *copy = *entry;
    copy->segment->refs++;
    *value = (uintptr_t)copy;
    return 0;
}

/* ---- segments ---- */

static void segment_path(const struct cache_disk *disk, uint64_t number,
                         char path[static PATH_MAX])
{
    (void)snprintf(path, PATH_MAX, "%s/%016" PRIx64 SUFFIX, disk->dir, number);
}

static void segment_append(struct cache_disk *disk, struct disk_segment *segment)
{
    *(disk->newest ? &disk->newest->newer : &disk->oldest) = segment;
    disk->newest = segment;
    disk->segment_count++;
    disk->bytes += segment->end;
    if (disk->next_number <= segment->number)
        disk->next_number = segment->number + 1;
}

static struct disk_segment *segment_new(int fd, uint64_t number)
{
    struct disk_segment *segment = calloc(1, sizeof *segment);
    if (segment)
        *segment = (struct disk_segment){
            .number = number, .fd = fd, .refs = 1, .end = DATA_AT
        };
    return segment;
}

static int segment_create(struct cache_disk *disk)
{
    char path[PATH_MAX];
    uint8_t header[HEADER_SIZE] = { 0 };
    segment_path(disk, disk->next_number, path);
    AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    memcpy(header, MAGIC, 8);
    bytes_put_u32(header + 8, VERSION);
    bytes_put_u32(header + 12, SLOT_COUNT);
    bytes_put_u64(header + 16, disk->next_number);
    bytes_put_u64(header + HEADER_HASH_AT, XXH3_64bits(header, HEADER_HASH_AT));
    int rc = pwrite(fd, header, sizeof header, 0) == sizeof header ? 0 : -EIO;
    struct disk_segment *segment = rc == 0 ? segment_new(fd, disk->next_number) : NULL;
    if (!segment) {
        (void)unlink(path);
        return rc < 0 ? rc : -ENOMEM;
    }
    fd = -1;
    segment_append(disk, segment);
    return 0;
}

/* Its chunks, by its table: those of all segments may be many.  One that was written
 * again is of another segment by now; one whose slot is damaged is removed when it is
 * looked for. */
static void segment_forget(struct cache_disk *disk, const struct disk_segment *segment,
                           const uint8_t *table)
{
    struct digest digest;
    for (uint32_t i = 0; i < SLOT_COUNT; i++) {
        memcpy(digest.bytes, table + (size_t)i * SLOT_SIZE, DIGEST_SIZE);
        const struct disk_entry *entry = entry_find(disk, &digest);
        if (entry && entry->segment == segment)
            entry_remove(disk, &digest);
    }
}

static void segment_evict(struct cache_disk *disk)
{
    struct disk_segment *segment = disk->oldest;
    AUTO_FREE uint8_t *table = malloc(TABLE_SIZE);
    char path[PATH_MAX];
    if (table && pread(segment->fd, table, TABLE_SIZE, HEADER_SIZE) == TABLE_SIZE)
        segment_forget(disk, segment, table);
    segment_path(disk, segment->number, path);
    (void)unlink(path);
    disk->oldest = segment->newer;
    disk->newest = disk->oldest ? disk->newest : NULL;
    disk->segment_count--;
    disk->bytes -= segment->end;
    segment->is_evicted = true;
    segment_unref(segment);
}

/* ---- start ---- */

static bool slot_decode(const uint8_t *slot, uint64_t file_bytes, struct digest *digest,
                        struct disk_entry *ret)
{
    memcpy(digest->bytes, slot, DIGEST_SIZE);
    ret->offset = bytes_u32(slot + 32);
    ret->stored = bytes_u32(slot + 36);
    ret->plain = bytes_u32(slot + 40);
    return bytes_u64(slot + SLOT_HASH_AT) == XXH3_64bits(slot, SLOT_HASH_AT) &&
           ret->plain > 0 && ret->plain <= CHUNK_SIZE_MAX && ret->stored > 0 &&
           ret->stored <= ret->plain && ret->offset >= DATA_AT &&
           (uint64_t)ret->offset + ret->stored <= file_bytes;
}

static bool is_slot_empty(const uint8_t *slot)
{
    static const uint8_t empty[SLOT_SIZE];
    return memcmp(slot, empty, SLOT_SIZE) == 0;
}

/* Slots behind one that was not written may have been: all are read.  What is appended
 * goes behind the last of them, and behind all bytes. */
static int slots_load(struct cache_disk *disk, struct disk_segment *segment,
                      uint64_t file_bytes)
{
    AUTO_FREE uint8_t *table = calloc(SLOT_COUNT, SLOT_SIZE);
    struct digest digest;
    int rc = table ? 0 : -ENOMEM;
    if (table && pread(segment->fd, table, TABLE_SIZE, HEADER_SIZE) < 0)
        rc = -errno;
    for (uint32_t i = 0; rc == 0 && i < SLOT_COUNT; i++) {
        struct disk_entry entry = { .segment = segment, .slot = i };
        const uint8_t *slot = table + (size_t)i * SLOT_SIZE;
        if (!is_slot_empty(slot))
            segment->slot_count = i + 1;
        if (slot_decode(slot, file_bytes, &digest, &entry))
            rc = entry_add(disk, &digest, &entry);
    }
    segment->end = file_bytes < DATA_AT      ? DATA_AT
                   : file_bytes < UINT32_MAX ? (uint32_t)file_bytes
                                             : UINT32_MAX;
    return rc;
}

static bool is_segment(int fd, uint64_t number)
{
    uint8_t header[HEADER_SIZE];
    return pread(fd, header, sizeof header, 0) == sizeof header &&
           memcmp(header, MAGIC, 8) == 0 && bytes_u32(header + 8) == VERSION &&
           bytes_u32(header + 12) == SLOT_COUNT && bytes_u64(header + 16) == number &&
           bytes_u64(header + HEADER_HASH_AT) == XXH3_64bits(header, HEADER_HASH_AT);
}

static int segment_load(struct cache_disk *disk, uint64_t number)
{
    char path[PATH_MAX];
    struct stat st;
    segment_path(disk, number, path);
    AUTO_CLOSE int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode) || !is_segment(fd, number))
        return -EUCLEAN;
    struct disk_segment *segment = segment_new(fd, number);
    if (!segment)
        return -ENOMEM;
    fd = -1;
    int rc = slots_load(disk, segment, (uint64_t)st.st_size);
    if (rc < 0) { /* of its entries none is found: they refer to it */
        segment->is_evicted = true;
        segment_unref(segment);
        return rc;
    }
    segment_append(disk, segment);
    return 0;
}

/* What is not a segment of ours, by its name and its header, or cannot be read, is
 * removed: it would count on the disk, and not here.  What cannot be removed either
 * stays, and nothing is written there. */
static void segment_load_or_remove(struct cache_disk *disk, uint64_t number)
{
    char path[PATH_MAX];
    int rc = segment_load(disk, number);
    if (disk->next_number <= number)
        disk->next_number = number + 1;
    if (rc == 0)
        return;
    segment_path(disk, number, path);
    bool is_removed =
        rc != -EMFILE && rc != -ENFILE && rc != -ENOMEM && unlink(path) == 0;
    forwarder_report(disk->report, LOG_LEVEL_WARN, FORWARDER_DISK,
                     "the cache's file '%s' cannot be used (%s): it is %s", path,
                     rc == -EUCLEAN ? "it is not a segment" : strerror(-rc),
                     is_removed ? "removed" : "left alone");
}

static int number_compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool segment_name_parse(struct span name, uint64_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t number = 0;
    if (name.size != NUMBER_DIGITS + sizeof SUFFIX - 1 || !span_ends(name, SUFFIX))
        return false;
    for (size_t i = 0; i < NUMBER_DIGITS; i++) {
        const char *digit = memchr(digits, name.data[i], sizeof digits - 1);
        if (!digit)
            return false;
        number = number << 4 | (uint64_t)(digit - digits);
    }
    *ret = number;
    return true;
}

static int numbers_list(const char *dir, uint64_t **ret, size_t *ret_count)
{
    AUTO_FREE uint64_t *numbers = NULL;
    AUTO_CLOSEDIR DIR *entries = opendir(dir);
    struct dirent *entry;
    size_t count = 0;
    if (!entries)
        return -errno;
    while ((entry = readdir(entries)) != NULL) {
        uint64_t number = 0;
        if (!segment_name_parse(span_of(entry->d_name), &number))
            continue;
        uint64_t *more = reallocarray(numbers, count + 1, sizeof *more);
        if (!more)
            return -ENOMEM;
        numbers = more;
        numbers[count++] = number;
    }
    if (count)
        qsort(numbers, count, sizeof *numbers, number_compare);
    *ret = TAKE(numbers);
    *ret_count = count;
    return 0;
}

static int segments_load(struct cache_disk *disk)
{
    AUTO_FREE uint64_t *numbers = NULL;
    size_t count = 0;
    int rc = numbers_list(disk->dir, &numbers, &count);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        segment_load_or_remove(disk, numbers[i]);
        if (disk->segment_count > disk->segments_max)
            segment_evict(disk);
    }
    while (rc == 0 && disk->bytes > disk->bytes_max)
        segment_evict(disk);
    return rc;
}

static uint32_t segment_bytes_of(uint64_t bytes_max)
{
    uint64_t share = bytes_max / SEGMENTS_MIN;
    return share > SEGMENT_BYTES_MAX   ? SEGMENT_BYTES_MAX
           : share < SEGMENT_BYTES_MIN ? SEGMENT_BYTES_MIN
                                       : (uint32_t)share;
}

/* The last one is begun before the oldest goes. */
uint64_t cache_disk_segments(uint64_t bytes_max)
{
    return bytes_max / segment_bytes_of(bytes_max) + 2;
}

/* What cache_disk_open() would make is not made here. */
static int dir_check(const char *dir, struct err *err)
{
    char path[PATH_MAX];
    struct stat st;
    (void)snprintf(path, sizeof path, "%s", dir);
    while (stat(path, &st) < 0 && errno == ENOENT) {
        char *slash = strrchr(path, '/');
        if (!slash) {
            (void)snprintf(path, sizeof path, ".");
            break;
        }
        slash[slash == path] = '\0';
    }
    if (access(path, W_OK | X_OK) < 0)
        return err_set(err, errno, "'%s': %s", path, strerror(errno));
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
        return err_set(err, ENOTDIR, "'%s' is not a directory", path);
    return 0;
}

int cache_disk_check(const char *dir, struct err *err)
{
    char path[PATH_MAX];
    int rc = dir_check(dir, err);
    if (rc < 0)
        return rc;
    (void)snprintf(path, sizeof path, "%s/lock", dir);
    AUTO_CLOSE int lock = open(path, O_RDWR | O_CLOEXEC);
    if (lock < 0)
        return errno == ENOENT
                   ? 0
                   : err_set(err, errno, "open '%s': %s", path, strerror(errno));
    if (file_lock(lock) < 0)
        return err_set(err, EBUSY, "'%s' is used by another process", dir);
    return 0;
}

int cache_disk_open(const struct cache_disk_opts *opts, struct cache_disk **ret,
                    struct err *err)
{
    const char *dir = opts->dir;
    char path[PATH_MAX];
    AUTO(cache_disk_close) struct cache_disk *disk = calloc(1, sizeof *disk);
    if (!disk)
        return -ENOMEM;
    disk->lock = -1;
    disk->bytes_max = opts->bytes_max;
    disk->segments_max = opts->segments_max;
    disk->report = opts->report;
    disk->segment_bytes = segment_bytes_of(opts->bytes_max);
    if (strlen(dir) >= sizeof disk->dir)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
    (void)snprintf(disk->dir, sizeof disk->dir, "%s", dir);
    (void)snprintf(path, sizeof path, "%s/indexes", dir);
    int rc = file_make_dirs(path, 0700, err);
    if (rc < 0)
        return rc;
    (void)snprintf(path, sizeof path, "%s/lock", dir);
    disk->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (disk->lock < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    if (file_lock(disk->lock) < 0)
        return err_set(err, EBUSY, "'%s' is used by another process", dir);
    rc = segments_load(disk);
    if (rc < 0)
        return err_set(err, -rc, "read '%s': %s", dir, strerror(-rc));
    *ret = TAKE(disk);
    return 0;
}

void cache_disk_close(struct cache_disk *disk)
{
    size_t cursor = 0;
    struct span key;
    uintptr_t *value;
    if (!disk)
        return;
    while (hashmap_next(&disk->entries, &cursor, &key, &value))
        entry_free((struct disk_entry *)*value); /* NOLINT(performance-no-int-to-ptr) */
    hashmap_done(&disk->entries);
    while (disk->oldest) {
        struct disk_segment *segment = disk->oldest;
        disk->oldest = segment->newer;
        segment_unref(segment);
    }
    auto_close(&disk->lock);
    free(disk);
}

/* ---- chunks ---- */

bool cache_disk_has(const struct cache_disk *disk, const struct digest *digest)
{
    const struct disk_entry *entry = entry_find(disk, digest);
    return entry && !entry->segment->is_evicted;
}

bool cache_disk_find(struct cache_disk *disk, const struct digest *digest,
                     struct disk_position *ret)
{
    const struct disk_entry *entry = entry_find(disk, digest);
    if (entry && entry->segment->is_evicted) {
        entry_remove(disk, digest);
        entry = NULL;
    }
    if (!entry)
        return false;
    entry->segment->refs++;
    *ret = (struct disk_position){
        .segment = entry->segment,
        .offset = entry->offset,
        .slot = entry->slot,
        .stored = entry->stored,
        .plain = entry->plain,
        .digest = *digest,
        .is_old = disk->bytes > disk->bytes_max / 2 &&
                  entry->segment->number - disk->oldest->number <
                      disk->segment_count / OLD_SHARE,
    };
    return true;
}

static bool is_newest_usable(const struct cache_disk *disk, uint32_t stored)
{
    return disk->newest && disk->newest->slot_count < SLOT_COUNT &&
           (uint64_t)disk->newest->end + stored <=
               (uint64_t)DATA_AT + disk->segment_bytes;
}

int cache_disk_reserve(struct cache_disk *disk, const struct digest *digest,
                       uint32_t stored, uint32_t plain, struct disk_position *ret)
{
    if (stored > disk->segment_bytes)
        return -EFBIG;
    if (!is_newest_usable(disk, stored)) {
        int rc = segment_create(disk);
        if (rc < 0)
            return rc;
    }
    struct disk_segment *segment = disk->newest;
    assert(segment);
    while (disk->oldest != segment && (disk->bytes + stored > disk->bytes_max ||
                                       disk->segment_count > disk->segments_max))
        segment_evict(disk);
    *ret = (struct disk_position){ .segment = segment,
                                   .offset = segment->end,
                                   .slot = segment->slot_count++,
                                   .stored = stored,
                                   .plain = plain,
                                   .digest = *digest };
    segment->refs++;
    segment->end += stored;
    disk->bytes += stored;
    return 0;
}

void cache_disk_commit(struct cache_disk *disk, const struct disk_position *position)
{
    const struct disk_entry entry = { position->segment, position->offset,
                                      position->slot, position->stored,
                                      position->plain };
    if (!position->segment->is_evicted) /* meanwhile */
        (void)entry_add(disk, &position->digest, &entry);
}

void cache_disk_release(struct disk_position *position)
{
    if (position->segment)
        segment_unref(position->segment);
    position->segment = NULL;
}

void cache_disk_remove(struct cache_disk *disk, const struct digest *digest)
{
    static const uint8_t empty[SLOT_SIZE];
    const struct disk_entry *entry = entry_find(disk, digest);
    if (!entry)
        return;
    (void)pwrite(entry->segment->fd, empty, sizeof empty,
                 HEADER_SIZE + (off_t)entry->slot * SLOT_SIZE);
    entry_remove(disk, digest);
}

int cache_disk_read(const struct disk_position *position, uint8_t *data)
{
    ssize_t size =
        pread(position->segment->fd, data, position->stored, position->offset);
    if (size < 0)
        return -errno;
    return (uint32_t)size == position->stored ? 0 : -EUCLEAN;
}

static int write_at(int fd, const uint8_t *data, size_t size, off_t offset)
{
    ssize_t written = pwrite(fd, data, size, offset);
    if (written < 0)
        return file_error(errno);
    return (size_t)written == size ? 0 : -ENOSPC;
}

int cache_disk_write(const struct disk_position *position, const uint8_t *data)
{
    uint8_t slot[SLOT_SIZE] = { 0 };
    memcpy(slot, position->digest.bytes, DIGEST_SIZE);
    bytes_put_u32(slot + 32, position->offset);
    bytes_put_u32(slot + 36, position->stored);
    bytes_put_u32(slot + 40, position->plain);
    bytes_put_u64(slot + SLOT_HASH_AT, XXH3_64bits(slot, SLOT_HASH_AT));
    int rc = write_at(position->segment->fd, data, position->stored, position->offset);
    if (rc == 0)
        rc = write_at(position->segment->fd, slot, sizeof slot,
                      HEADER_SIZE + (off_t)position->slot * SLOT_SIZE);
    return rc;
}

uint64_t cache_disk_bytes(const struct cache_disk *disk)
{
    return disk->bytes;
}

uint64_t cache_disk_count(const struct cache_disk *disk)
{
    return disk->entries.count;
}

const char *cache_disk_dir(const struct cache_disk *disk)
{
    return disk->dir;
}
