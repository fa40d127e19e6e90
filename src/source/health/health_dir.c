/* SPDX-License-Identifier: Apache-2.0 */
/* health_dir - the directory that samples of file systems' health are kept in. */
#include "source/health/health_dir.h"

#include "base/file.h"
#include "base/input.h"
#include "base/number.h"
#include "base/span.h"
#include "base/timetext.h"
#include "source/health/block.h"
#include "source/health/block_read.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAY_NS (86400 * NS_PER_S)
#define DATE_SIZE (sizeof "2026-11-21" - 1)
#define STATE_BYTES 128
#define DAYS_MAX 100000

static const char *const prefixes[HEALTH_KIND_COUNT] = {
    [HEALTH_KIND_SPACE] = "df",
    [HEALTH_KIND_SERVERS] = "dl",
};

struct day {
    int64_t t_ns; /* midnight */
    char name[HEALTH_NAME_BYTES];
};

struct health_dir {
    char *path;
    struct {
        struct day *days; /* in their order */
        size_t count;
        struct strbuf text;
        const char *text_name; /* of the day that text holds; NULL: none */
    } kinds[HEALTH_KIND_COUNT];
};

static void name_of(enum health_kind kind, int64_t t_ns,
                    char out[static HEALTH_NAME_BYTES])
{
    char text[TIMETEXT_SIZE];
    (void)timetext_print(text, t_ns);
    (void)snprintf(out, HEALTH_NAME_BYTES, "%s-%.*s.txt", prefixes[kind],
                   (int)DATE_SIZE, text);
}

static bool is_text_name(struct span end)
{
    static const char *const names[] = { ".txt", ".txt.gz", ".txt.bz2", ".txt.xz",
                                         ".txt.zst" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (span_is(end, names[i]))
            return true;
    return false;
}

/* The day of "df-2026-11-21.txt", maybe compressed; false: it is no such name. */
static bool day_of(enum health_kind kind, const char *name, int64_t *ret_ns)
{
    struct span rest = span_of(name);
    char stamp[DATE_SIZE + sizeof "T00:00:00Z"];
    if (rest.size >= HEALTH_NAME_BYTES || !span_starts(rest, prefixes[kind]) ||
        rest.size < 3 + DATE_SIZE || rest.data[2] != '-')
        return false;
    (void)snprintf(stamp, sizeof stamp, "%.*sT00:00:00Z", (int)DATE_SIZE, name + 3);
    rest = span_skip(rest, 3 + DATE_SIZE);
    return is_text_name(rest) && timetext_parse(span_of(stamp), ret_ns) == 0;
}

/* ---- the state ---- */

static int state_path(const char *dir, enum health_kind kind, struct strbuf *out)
{
    strbuf_addf(out, "%s/%s.state", dir, prefixes[kind]);
    return strbuf_error(out);
}

/* "df-2026-11-21.txt 123456 1795227920"; false: it says nothing. */
static bool state_parse(struct span text, struct health_state *state)
{
    struct span line, name, size;
    uint64_t size_bytes;
    int64_t t_ns;
    (void)span_cut(&text, '\n', &line);
    (void)span_cut(&line, ' ', &name);
    (void)span_cut(&line, ' ', &size);
    if (name.size == 0 || name.size >= HEALTH_NAME_BYTES ||
        number_parse_u64(size, &size_bytes) < 0 ||
        number_parse_seconds(span_trim(line), &t_ns) < 0)
        return false;
    (void)snprintf(state->name, sizeof state->name, SPAN_FMT, SPAN_ARG(name));
    state->size_bytes = size_bytes;
    state->t_ns = t_ns;
    return true;
}

static void state_read(int fd, struct health_state *state)
{
    char text[STATE_BYTES];
    ssize_t size = pread(fd, text, sizeof text, 0);
    state->name[0] = '\0';
    state->size_bytes = 0;
    state->t_ns = INT64_MIN;
    if (size > 0)
        (void)state_parse((struct span){ text, (size_t)size }, state);
}

static int state_write(const struct health_state *state)
{
    char text[STATE_BYTES + 1];
    int size = snprintf(text, sizeof text, "%s %" PRIu64 " %" PRId64, state->name,
                        state->size_bytes, state->t_ns / NS_PER_S);
    memset(text + size, ' ', STATE_BYTES - (size_t)size);
    text[STATE_BYTES - 1] = '\n';
    if (pwrite(state->fd, text, STATE_BYTES, 0) != STATE_BYTES)
        return errno ? -errno : -EIO;
    return fdatasync(state->fd) < 0 ? -errno : 0;
}

int health_state_open(const char *dir, enum health_kind kind, struct health_state *ret,
                      struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    if (state_path(dir, kind, &path) < 0)
        return err_set(err, ENOMEM, "memory is out");
    /* Without O_CLOEXEC: a command that hangs keeps the lock. */
    int fd = open(strbuf_text(&path), O_RDWR | O_CREAT | O_NOFOLLOW, 0644);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", strbuf_text(&path),
                       strerror(errno));
    int rc = file_lock(fd);
    if (rc < 0) {
        (void)close(fd);
        return err_set(
            err, -rc,
            "another sample is being recorded, or the command of an earlier one "
            "still hangs");
    }
    ret->fd = fd;
    state_read(fd, ret);
    return 0;
}

void health_state_done(struct health_state *state)
{
    if (state->fd >= 0)
        (void)close(state->fd);
    state->fd = -1;
}

/* ---- writing ---- */

/* How many bytes of the file called name are whole, of those that are there. */
static uint64_t whole_bytes(const struct health_state *state, const char *name,
                            uint64_t size_bytes)
{
    if (strcmp(state->name, name) == 0)
        return size_bytes < state->size_bytes ? size_bytes : state->size_bytes;
    /* A later file than the one that was finished last was never finished. */
    return state->name[0] != '\0' && strcmp(state->name, name) < 0 ? 0 : size_bytes;
}

static int append_at(int fd, uint64_t at, int64_t t_ns, struct span text)
{
    char begin[64];
    int n = snprintf(begin, sizeof begin, "BEGIN %" PRId64 "\n", t_ns / NS_PER_S);
    if (ftruncate(fd, (off_t)at) < 0 || lseek(fd, (off_t)at, SEEK_SET) < 0)
        return -errno;
    int rc = file_write_all(fd, begin, (size_t)n);
    if (rc == 0)
        rc = file_write_all(fd, text.data, text.size);
    return rc == 0 && fdatasync(fd) < 0 ? -errno : rc;
}

int health_state_append(const char *dir, enum health_kind kind,
                        struct health_state *state, int64_t t_ns, struct span text,
                        uint64_t *ret_torn_bytes, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char name[HEALTH_NAME_BYTES];
    struct stat st;
    name_of(kind, t_ns, name);
    strbuf_addf(&path, "%s/%s", dir, name);
    if (strbuf_error(&path) < 0)
        return err_set(err, ENOMEM, "memory is out");
    AUTO_CLOSE int fd =
        open(strbuf_text(&path), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_set(err, errno, "open '%s': %s", strbuf_text(&path),
                       strerror(errno));
    uint64_t at = whole_bytes(state, name, (uint64_t)st.st_size);
    int rc = append_at(fd, at, t_ns, text);
    off_t end = lseek(fd, 0, SEEK_CUR);
    if (rc < 0) {
        (void)!ftruncate(fd, (off_t)at);
        return err_set(err, -rc, "write '%s': %s", strbuf_text(&path), strerror(-rc));
    }
    struct health_state next = { .fd = state->fd,
                                 .size_bytes = (uint64_t)end,
                                 .t_ns = t_ns };
    (void)snprintf(next.name, sizeof next.name, "%s", name);
    rc = state_write(&next);
    if (rc < 0)
        return err_set(err, -rc, "write '%s/%s.state': %s", dir, prefixes[kind],
                       strerror(-rc));
    *ret_torn_bytes = (uint64_t)st.st_size - at;
    *state = next;
    return 0;
}

int health_dir_prune(const char *path, int64_t t_ns, size_t *ret_count, struct err *err)
{
    DIR *dir = opendir(path);
    if (!dir)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(dir)))
        for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++) {
            int64_t day_ns;
            if (day_of(kind, entry->d_name, &day_ns) && day_ns + DAY_NS < t_ns &&
                unlinkat(dirfd(dir), entry->d_name, 0) == 0)
                count++;
        }
    (void)closedir(dir);
    *ret_count = count;
    return 0;
}

/* ---- reading ---- */

static int day_order(const void *a, const void *b)
{
    const struct day *x = a, *y = b;
    return x->t_ns != y->t_ns ? (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns)
                              : strcmp(x->name, y->name);
}

static int day_add(struct health_dir *dir, enum health_kind kind, const char *name,
                   int64_t t_ns)
{
    size_t count = dir->kinds[kind].count;
    if (count >= DAYS_MAX)
        return -E2BIG;
    struct day *days =
        reallocarray(dir->kinds[kind].days, count + 1, sizeof *dir->kinds[kind].days);
    if (!days)
        return -ENOMEM;
    dir->kinds[kind].days = days;
    days[count].t_ns = t_ns;
    (void)snprintf(days[count].name, sizeof days[count].name, "%.*s",
                   HEALTH_NAME_BYTES - 1, name);
    dir->kinds[kind].count++;
    return 0;
}

static int days_read(struct health_dir *dir, DIR *names)
{
    const struct dirent *entry;
    int rc = 0;
    while (rc == 0 && (entry = readdir(names)))
        for (unsigned kind = 0; kind < HEALTH_KIND_COUNT && rc == 0; kind++) {
            int64_t t_ns;
            if (day_of(kind, entry->d_name, &t_ns))
                rc = day_add(dir, kind, entry->d_name, t_ns);
        }
    for (unsigned kind = 0; kind < HEALTH_KIND_COUNT; kind++)
        if (dir->kinds[kind].count > 1)
            qsort(dir->kinds[kind].days, dir->kinds[kind].count, sizeof(struct day),
                  day_order);
    return rc;
}

int health_dir_open(const char *path, struct health_dir **ret, struct err *err)
{
    AUTO(health_dir_close) struct health_dir *dir = calloc(1, sizeof *dir);
    if (!dir || !(dir->path = span_dup(span_of(path))))
        return err_set(err, ENOMEM, "memory is out");
    DIR *names = opendir(path);
    if (!names)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    int rc = days_read(dir, names);
    (void)closedir(names);
    if (rc < 0)
        return err_set(err, -rc, "'%s': %s", path, strerror(-rc));
    *ret = TAKE(dir);
    return 0;
}

void health_dir_close(struct health_dir *dir)
{
    if (!dir)
        return;
    for (size_t i = 0; i < HEALTH_KIND_COUNT; i++) {
        free(dir->kinds[i].days);
        strbuf_done(&dir->kinds[i].text);
    }
    free(dir->path);
    free(dir);
}

/* The file's samples that are whole.  The state is read after the file: it only ever
 * says more. */
static int day_read(struct health_dir *dir, enum health_kind kind,
                    const struct day *day, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf state_name = STRBUF_INIT;
    struct strbuf *text = &dir->kinds[kind].text;
    struct health_state state = { .fd = -1 };
    if (dir->kinds[kind].text_name == day->name)
        return 0;
    dir->kinds[kind].text_name = NULL;
    strbuf_clear(text);
    strbuf_addf(&path, "%s/%s", dir->path, day->name);
    if (strbuf_error(&path) < 0 || state_path(dir->path, kind, &state_name) < 0)
        return err_set(err, ENOMEM, "memory is out");
    int rc = input_read_all(strbuf_text(&path), HEALTH_FILE_BYTES_MAX, text, err);
    if (rc < 0)
        return rc;
    AUTO_CLOSE int fd = open(strbuf_text(&state_name), O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        state_read(fd, &state);
        text->size = (size_t)whole_bytes(&state, day->name, text->size);
    }
    dir->kinds[kind].text_name = day->name;
    return 0;
}

int health_dir_at(struct health_dir *dir, enum health_kind kind, int64_t t_ns,
                  struct span *ret_text, const char **ret_name, struct err *err)
{
    for (size_t i = dir->kinds[kind].count; i-- > 0;) {
        const struct day *day = &dir->kinds[kind].days[i];
        struct health_block block;
        if (day->t_ns > t_ns)
            continue;
        int rc = day_read(dir, kind, day, err);
        if (rc < 0)
            return rc;
        struct span text = strbuf_span(&dir->kinds[kind].text);
        if (health_block_at(text, t_ns, INT64_MAX, &block, NULL, NULL) < 0)
            continue;
        *ret_text = text;
        *ret_name = day->name;
        return 0;
    }
    return err_set(err, ENOENT, "'%s' holds no sample of that time or before",
                   dir->path);
}
