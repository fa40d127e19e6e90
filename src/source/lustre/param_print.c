/* SPDX-License-Identifier: Apache-2.0 */
/* param_print - a few of Lustre's parameters from their files, as lctl get_param prints
 * them, and nothing else.
 */
#include "source/lustre/param_print.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/span.h"
#include "source/lustre/lustre.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>

#define COPY_BYTES 65536

static const struct {
    const char *name;
    bool is_cleanup;
} parameters[] = {
    { "job_stats", false },
    { "job_cleanup_interval", true },
};

/* One "obdfilter.NAME.job_stats" of the command line. */
struct param_request {
    const struct param_print *print;
    struct span device, name; /* name: a target, or "*" */
    size_t parameter;
    size_t found;
};

__attribute__((format(printf, 2, 3))) static void param_failed(
    const struct param_print *print, const char *fmt, ...)
{
    char text[LUSTRE_PATH_MAX + 256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    print->failed(print->arg, text);
}

static int parse_parameter(const char *text, struct param_request *ret)
{
    struct span rest = span_of(text), last;
    if (memchr(rest.data, '/', rest.size) || !span_cut(&rest, '.', &ret->device) ||
        (!span_is(ret->device, "obdfilter") && !span_is(ret->device, "mdt")))
        return -EINVAL;
    for (size_t p = 0; p < COUNT_OF(parameters); p++) {
        last = span_of(parameters[p].name);
        if (!span_ends(rest, parameters[p].name) || rest.size < last.size + 2 ||
            rest.data[rest.size - last.size - 1] != '.')
            continue;
        ret->name = (struct span){ rest.data, rest.size - last.size - 1 };
        ret->parameter = p;
        return 0;
    }
    return -EINVAL;
}

static int copy_file(int to, const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    static char buffer[COPY_BYTES];
    for (;;) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        int rc = file_write_all(to, buffer, (size_t)n);
        if (rc < 0)
            return rc;
    }
}

static int print_target(void *arg, const struct lustre_target *target)
{
    struct param_request *r = arg;
    const char *device = target->kind == TARGET_MDT ? "mdt" : "obdfilter";
    bool is_cleanup = parameters[r->parameter].is_cleanup;
    const char *path = is_cleanup ? target->cleanup : target->job_stats;
    if (!path || !span_is(r->device, device) ||
        (!span_is(r->name, "*") && !span_is(r->name, target->name)))
        return 0;
    r->found++;
    char line[LUSTRE_PATH_MAX];
    int size = snprintf(line, sizeof line, "%s.%s.%s%s", device, target->name,
                        parameters[r->parameter].name,
                        r->print->names_only ? "\n"
                        : is_cleanup         ? "="
                                             : "=\n");
    if (size < 0 || (size_t)size >= sizeof line)
        return -ENAMETOOLONG;
    int rc = 0;
    if (!r->print->values_only)
        rc = file_write_all(r->print->fd, line, (size_t)size);
    if (rc == 0 && !r->print->names_only)
        rc = copy_file(r->print->fd, path);
    if (rc < 0 && rc != -EPIPE)
        param_failed(r->print, "get_param: read '%s': %s", path, strerror(-rc));
    return rc;
}

int param_print(const struct param_print *print, const char *parameter)
{
    struct param_request request = { .print = print };
    struct err err = { 0 };
    if (parse_parameter(parameter, &request) < 0) {
        param_failed(print, "get_param: '%s' is not one that this program reads",
                     parameter);
        return -EINVAL;
    }
    int rc = lustre_find_targets(print->root, print_target, &request, &err);
    if (rc < 0 && err.text[0])
        param_failed(print, "get_param: %s", err.text);
    if (rc < 0)
        return rc == -EINVAL || rc == -ENOENT ? -EIO : rc;
    if (request.found > 0)
        return 0;
    param_failed(print, "get_param: param_path '%s': No such file or directory",
                 parameter);
    return -ENOENT;
}

static int print_total(void *arg, const char *param, const char *path)
{
    const struct param_print *print = arg;
    int rc = file_write_all(print->fd, param, strlen(param));
    if (rc == 0)
        rc = file_write_all(print->fd, "=\n", 2);
    if (rc == 0)
        rc = copy_file(print->fd, path);
    /* One file that cannot be read is no reason to leave out the others. */
    if (rc < 0 && rc != -EPIPE)
        param_failed(print, "totals: read '%s': %s", path, strerror(-rc));
    return rc == -EPIPE ? rc : 0;
}

int param_print_totals(const struct param_print *print, bool is_accounts)
{
    struct err err = { 0 };
    int rc = (is_accounts ? lustre_find_account_files : lustre_find_total_files)(
        print->root, print_total, (void *)(uintptr_t)print, &err);
    if (rc < 0 && err.text[0])
        param_failed(print, "totals: %s", err.text);
    return rc;
}
