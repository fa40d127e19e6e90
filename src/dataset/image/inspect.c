/* SPDX-License-Identifier: Apache-2.0 */
/* inspect - an untrusted image walked by a child process that can do nothing else. */
#include "dataset/image/inspect.h"

#include "base/file.h"
#include "base/span.h"
#include "base/system/confine.h"
#include "dataset/image/manifest.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define CHILD_MEMORY_BYTES ((size_t)4 << 30)
#define CHILD_CPU_S 60U
#define CHILD_BYTES_A_SECOND (64U << 20) /* of the slowest machine */
#define FLUSH_BYTES 65536U

/* What the child writes last, behind the manifest.  It is found by its size alone: no
 * byte that comes from the image can pass for it. */
struct verdict {
    int32_t rc;
    bool is_of_image; /* else the checker could not do its work */
    struct image_totals totals;
    struct err err;
};

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
    struct verdict verdict;
    const struct confine_opts opts = {
        .parent = parent,
        .fd = fd,
        .memory_bytes = CHILD_MEMORY_BYTES,
    };
    memset(&verdict, 0, sizeof verdict);
    int rc = confine_child(&opts, &verdict.err);
    if (rc == 0)
        rc = confine_cpu(CHILD_CPU_S + (unsigned)(image->size / CHILD_BYTES_A_SECOND));
    if (rc == 0) {
        rc = image_walk(image->data, image->size, policy, line_send, &lines,
                        &verdict.totals, &verdict.err);
        verdict.is_of_image = rc == -EBADMSG || rc == -EPERM;
    }
    verdict.rc = rc;
    strbuf_add(&lines, &verdict, sizeof verdict);
    if (strbuf_error(&lines))
        _exit(EXIT_FAILED);
    _exit(lines_flush(&lines) == 0 ? EXIT_OK : EXIT_FAILED);
}

/* ---- the parent ---- */

/* A path of the image stands in the line: it goes to terminals and logs. */
static int refusal(const struct verdict *verdict, struct err *err)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const char *why = verdict->err.text;
    struct span line = { why, strnlen(why, sizeof verdict->err.text) };
    if (!line.size)
        line = span_of(strerror(-verdict->rc));
    image_manifest_text(&text, line);
    return err_set(err, verdict->is_of_image ? -verdict->rc : ECHILD, "%s",
                   strbuf_text(&text));
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
        return err_set(err, WTERMSIG(status) == SIGKILL ? EAGAIN : ECHILD,
                       "its checker ended by signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    if (status)
        return err_set(err, ECHILD, "its checker ended with status %d",
                       WEXITSTATUS(status));
    return 0;
}

static int verdict_read(struct strbuf *text, size_t before, struct image_totals *ret,
                        struct err *err)
{
    struct verdict verdict;
    if (text->size - before < sizeof verdict)
        return err_set(err, ECHILD, "its checker ended without a result");
    memcpy(&verdict, text->data + text->size - sizeof verdict, sizeof verdict);
    size_t manifest_end = text->size - sizeof verdict;
    if (verdict.rc < 0)
        return refusal(&verdict, err);
    if (verdict.rc > 0 ||
        (manifest_end > before && text->data[manifest_end - 1] != '\n'))
        return err_set(err, ECHILD, "its checker ended without a result");
    text->size = manifest_end;
    text->data[text->size] = '\0';
    *ret = verdict.totals;
    return 0;
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
        rc = err_set(err, -read_rc, "its list of files: %s", strerror(-read_rc));
    if (rc == 0)
        rc = verdict_read(manifest, before, ret, err);
    if (rc < 0 && manifest->size > before) { /* nothing of a refused one is left */
        manifest->size = before;
        manifest->data[before] = '\0';
    }
    return rc;
}
