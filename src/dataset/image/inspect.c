/* SPDX-License-Identifier: Apache-2.0 */
/* inspect - an untrusted image walked by a child process that can do nothing else. */
#include "dataset/image/inspect.h"

#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/system/confine.h"
#include "dataset/image/manifest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CHILD_MEMORY_BYTES ((size_t)4 << 30)
#define CHILD_CPU_S 60U
#define CHILD_BYTES_A_SECOND (64U << 20) /* of the slowest machine */
#define FLUSH_BYTES 65536U

/* The last line: "= 0 FILES DIRECTORIES LINKS SPECIAL BYTES" or "= ERRNO TEXT". */
#define LAST_LINE "= "

struct mapping {
    void *data;
    size_t size;
};

static void mapping_done(struct mapping *mapping)
{
    if (mapping->data)
        (void)munmap(mapping->data, mapping->size);
}
DEFINE_AUTO_DONE(struct mapping, mapping_done);

static int mapping_make(int fd, struct mapping *ret, struct err *err)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return err_set(err, errno, "image: %s", strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return err_set(err, EBADMSG, "an empty file, or none: this is no image");
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        return err_set(err, errno, "map the image: %s", strerror(errno));
    ret->data = data;
    ret->size = (size_t)st.st_size;
    return 0;
}

/* ---- the child ---- */

static int lines_flush(struct strbuf *lines)
{
    int rc = file_write_all(CONFINE_FD, lines->data, lines->size);
    strbuf_clear(lines);
    return rc;
}

static int line_send(void *arg, const struct image_file *file)
{
    struct strbuf *lines = arg;
    image_manifest_add(lines, file);
    if (strbuf_error(lines))
        return strbuf_error(lines);
    return lines->size < FLUSH_BYTES ? 0 : lines_flush(lines);
}

static void child_run(const struct mapping *image, const struct image_policy *policy,
                      pid_t parent, int fd)
{
    AUTO(strbuf_done) struct strbuf lines = STRBUF_INIT;
    struct image_totals totals = { 0 };
    struct err err = { 0 };
    const struct confine_opts opts = {
        .parent = parent,
        .fd = fd,
        .memory_bytes = CHILD_MEMORY_BYTES,
    };
    int rc = confine_child(&opts, &err);
    if (rc == 0)
        rc = confine_cpu(CHILD_CPU_S + (unsigned)(image->size / CHILD_BYTES_A_SECOND));
    if (rc == 0)
        rc = image_walk(image->data, image->size, policy, line_send, &lines, &totals,
                        &err);
    if (rc == 0)
        strbuf_addf(&lines,
                    LAST_LINE "0 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                              " %" PRIu64 "\n",
                    totals.files, totals.directories, totals.links, totals.special,
                    totals.content_bytes);
    else
        strbuf_addf(&lines, LAST_LINE "%d %s\n", -rc,
                    err.text[0] ? err.text : strerror(-rc));
    _exit(lines_flush(&lines) == 0 ? EXIT_OK : EXIT_FAILED);
}

/* ---- the parent ---- */

/* The next word of rest as a number. */
static int number_next(struct span *rest, uint64_t *ret)
{
    struct span word;
    (void)span_cut(rest, ' ', &word);
    return number_parse_u64(word, ret);
}

static int result_read(struct span last, struct image_totals *ret, struct err *err)
{
    struct image_totals totals = { 0 };
    uint64_t code = 0;
    bool is_result = span_starts(last, LAST_LINE);
    struct span rest = span_skip(last, sizeof LAST_LINE - 1);
    if (!is_result || number_next(&rest, &code) < 0 || code > INT32_MAX)
        return err_set(err, EBADMSG, "its checker ended without a result");
    if (code)
        return err_set(err, (int)code, SPAN_FMT, SPAN_ARG(rest));
    uint64_t *const parts[] = { &totals.files, &totals.directories, &totals.links,
                                &totals.special, &totals.content_bytes };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (number_next(&rest, parts[i]) < 0)
            return err_set(err, EBADMSG, "its checker ended without a result");
    *ret = totals;
    return 0;
}

static int child_wait(pid_t child, struct err *err)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return err_set(err, errno, "wait for the checker: %s", strerror(errno));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return err_set(err, EBADMSG,
                       "its checker took more CPU time than its size "
                       "warrants");
    if (WIFSIGNALED(status))
        return err_set(err, EBADMSG, "its checker ended by signal %d (%s)",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (status)
        return err_set(err, EBADMSG, "its checker ended with status %d",
                       WEXITSTATUS(status));
    return 0;
}

static int result_split(struct strbuf *text, size_t before, struct image_totals *ret,
                        struct err *err)
{
    size_t begin = text->size;
    if (begin == before || text->data[begin - 1] != '\n')
        return err_set(err, EBADMSG, "its checker ended without a result");
    begin--;
    while (begin > before && text->data[begin - 1] != '\n')
        begin--;
    int rc = result_read((struct span){ text->data + begin, text->size - begin - 1 },
                         ret, err);
    text->size = rc == 0 ? begin : before;
    text->data[text->size] = '\0';
    return rc;
}

int image_inspect(int fd, const struct image_policy *policy, struct strbuf *manifest,
                  struct image_totals *ret, struct err *err)
{
    AUTO(mapping_done) struct mapping image = { 0 };
    struct digest unused;
    size_t before = manifest->size;
    int ends[2];
    int rc = mapping_make(fd, &image, err);
    if (rc == 0) /* libcrypto reads its files here, not in the child */
        rc = digest_of("", 0, &unused);
    if (rc < 0)
        return rc;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_set(err, errno, "pipe: %s", strerror(errno));
    AUTO_CLOSE int read_fd = ends[0];
    AUTO_CLOSE int write_fd = ends[1];
    pid_t self = getpid();
    pid_t child = fork();
    if (child < 0)
        return err_set(err, errno, "fork: %s", strerror(errno));
    if (child == 0)
        child_run(&image, policy, self, write_fd);
    (void)close(TAKE_FD(write_fd));
    int read_rc = file_read_fd(read_fd, IMAGE_MANIFEST_BYTES_MAX, manifest);
    (void)close(TAKE_FD(read_fd)); /* a child that still writes ends */
    rc = child_wait(child, err);
    if (read_rc < 0)
        return err_set(err, -read_rc, "its list of files: %s", strerror(-read_rc));
    return rc < 0 ? rc : result_split(manifest, before, ret, err);
}
