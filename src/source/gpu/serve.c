/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the process that opens the library: a reading for each line that it reads. */
#include "source/gpu/gpu.h"

#include "base/number.h"
#include "base/span.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>

#define REQUEST_BYTES_MAX 64

/* The results' descriptor: what the library itself prints to stdout is lost. */
static int results = -1;

/* Each line when it is there: the next call may hang. */
static void text_write(const struct strbuf *text)
{
    for (size_t at = 0; strbuf_error(text) == 0 && at < text->size;) {
        ssize_t n = write(results, text->data + at, text->size - at);
        if (n < 0 && errno != EINTR)
            _exit(EXIT_FAILED); /* the agent reads it no more */
        at += n > 0 ? (size_t)n : 0;
    }
}

static void on_value(void *arg, const struct gpu_value *value)
{
    struct strbuf *text = arg;
    strbuf_clear(text);
    gpu_value_print(value, text);
    text_write(text);
}

static void on_complaint(void *arg, const char *why)
{
    struct strbuf *text = arg;
    strbuf_clear(text);
    gpu_error_print(why, text);
    text_write(text);
}

static int results_begin(void)
{
    AUTO_CLOSE int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return null < 0 || results < 0 || dup2(null, STDOUT_FILENO) < 0 ? -errno : 0;
}

/* "read 7"; false: the input has ended. */
static bool request_read(uint64_t *ret)
{
    char line[REQUEST_BYTES_MAX];
    while (fgets(line, sizeof line, stdin)) {
        struct span rest = span_trim(span_of(line)), word;
        *ret = 0;
        (void)span_cut(&rest, ' ', &word);
        if (span_is(word, "read") &&
            (rest.size == 0 || number_parse_u64(rest, ret) == 0))
            return true;
    }
    return false;
}

static int requests_serve(const char *path, struct strbuf *text, struct err *err)
{
    const struct gpu_reader reader = { on_value, on_complaint, text };
    struct gpu_library *library = NULL; /* ends with the process: it may hang there */
    uint64_t request;
    int rc = gpu_confine(results, err);
    while (rc == 0 && request_read(&request)) {
        if (!library)
            rc = gpu_library_open(path, &library, err);
        if (rc == 0)
            rc = gpu_library_read(library, &reader, err);
        if (rc < 0)
            break;
        strbuf_clear(text);
        strbuf_addf(text, "end %" PRIu64 "\n", request);
        text_write(text);
    }
    return rc;
}

int gpu_serve(const char *library)
{
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    struct err err = { 0 };
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    int rc = results_begin();
    if (rc == 0)
        rc = requests_serve(library, &text, &err);
    if (rc < 0)
        on_complaint(&text, err.text[0] ? err.text : strerror(-rc));
    return rc;
}
