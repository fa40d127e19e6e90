/* SPDX-License-Identifier: Apache-2.0 */
/* lctl - stands in for Lustre's lctl on one simulated server. */
#include "lctl.h"

#include "journal.h"

#include "base/file.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct request {
    const struct sim *sim;
    size_t server;
    int64_t t_ns;
    bool names_only, values_only, is_list;
};

/* A server that hangs in the kernel: DIR/hang.SERVER is there.  Whoever reads
 * waits. */
static void hang(const struct sim *sim, size_t server)
{
    char path[PATH_MAX + SIM_NAME_SIZE + 16];
    (void)snprintf(path, sizeof path, "%s/hang.%s", sim->dir, sim->servers[server]);
    struct stat st;
    while (stat(path, &st) == 0) {
        struct timespec wait = { .tv_nsec = 20000000 };
        (void)nanosleep(&wait, NULL);
    }
}

/* "path=value" where it fits a line, "path=" and the value below where it does
 * not. */
static void add_name(struct strbuf *out, const char *name, struct span value)
{
    strbuf_adds(out, name);
    strbuf_addc(out, '=');
    struct span line = value;
    if (line.size && line.data[line.size - 1] == '\n')
        line.size--;
    if ((line.size && memchr(line.data, '\n', line.size)) ||
        value.size + strlen(name) > 80)
        strbuf_addc(out, '\n');
}

static int print_one(const struct request *r, const struct sim_param_ref *ref)
{
    AUTO(strbuf_done) struct strbuf out = STRBUF_INIT;
    if (r->is_list || r->names_only) {
        strbuf_addf(&out, "%s\n", ref->name);
        return file_write_all(STDOUT_FILENO, out.data, out.size);
    }
    AUTO(strbuf_done) struct strbuf value = STRBUF_INIT;
    struct sim_dump counts = { 0 };
    int rc = sim_param_value(r->sim, ref, r->t_ns, &value, &counts);
    if (rc < 0)
        return rc;
    if (!r->values_only)
        add_name(&out, ref->name, strbuf_span(&value));
    if (strbuf_error(&out))
        return -ENOMEM;
    rc = file_write_all(STDOUT_FILENO, out.data, out.size);
    if (rc == 0)
        rc = file_write_all(STDOUT_FILENO, value.data, value.size);
    if (rc == 0 && ref->param == SIM_PARAM_JOB_STATS)
        rc =
            sim_journal_add_dump(r->sim, r->t_ns, r->server, ref->target, counts.count);
    return rc;
}

/* lctl takes dots or slashes between the parts of a name. */
static void dotted(char *pattern)
{
    for (char *p = pattern; *p; p++)
        if (*p == '/')
            *p = '.';
}

static int serve_pattern(const struct request *r, const char *text,
                         const struct sim_param_ref *refs, size_t count)
{
    AUTO_FREE char *pattern = strdup(text);
    if (!pattern)
        return ENOMEM;
    dotted(pattern);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(pattern, refs[i].name, 0) != 0)
            continue;
        found++;
        int rc = print_one(r, &refs[i]);
        if (rc < 0)
            return -rc;
    }
    if (found)
        return 0;
    for (char *p = pattern; *p; p++)
        if (*p == '.')
            *p = '/';
    fprintf(stderr, "error: %s: param_path '%s': No such file or directory\n",
            r->is_list ? "list_param" : "get_param", pattern);
    return ENOENT;
}

static int parse_flags(struct request *r, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++)
        for (const char *f = argv[i] + 1; *f; f++) {
            if (*f == 'n')
                r->values_only = true;
            else if (*f == 'N')
                r->names_only = true;
            else if (!strchr("FRDyHL", *f))
                return -EINVAL;
        }
    return i;
}

int sim_lctl(const struct sim *sim, size_t server, int64_t t_ns, int argc, char **argv)
{
    struct request r = { .sim = sim, .server = server, .t_ns = t_ns };
    r.is_list = argc > 0 && strcmp(argv[0], "list_param") == 0;
    if (argc < 1 || (!r.is_list && strcmp(argv[0], "get_param") != 0)) {
        fprintf(stderr, "lctl: this stand-in knows get_param and list_param\n");
        return EINVAL;
    }
    int first = parse_flags(&r, argc, argv);
    if (first < 0 || first >= argc) {
        fprintf(stderr, "usage: %s [-n|-N] <param_path1 param_path2 ...>\n", argv[0]);
        return EINVAL;
    }
    hang(sim, server);
    AUTO_FREE struct sim_param_ref *refs = NULL;
    size_t count = 0;
    int rc = sim_params_list(sim, server, t_ns, &refs, &count);
    if (rc < 0)
        return -rc;
    int status = 0;
    for (int i = first; i < argc; i++) {
        int one = serve_pattern(&r, argv[i], refs, count);
        status = one ? one : status;
    }
    rc =
        sim_journal_add(sim, t_ns, server, r.is_list || r.names_only ? "list" : "look");
    return rc < 0 ? -rc : status;
}

/* ---- as files ---- */

static int write_param(const struct sim *sim, const struct sim_param_ref *ref,
                       int64_t t_ns, const char *root, struct err *err)
{
    AUTO(strbuf_done) struct strbuf value = STRBUF_INIT;
    int rc = sim_param_value(sim, ref, t_ns, &value, NULL);
    if (rc < 0)
        return err_set(err, -rc, "%s", ref->name);
    char path[PATH_MAX], *slash;
    int n = snprintf(path, sizeof path, "%s/%s/fs/lustre/%s", root,
                     ref->target ? "proc" : "sys", ref->name);
    if (n < 0 || (size_t)n >= sizeof path)
        return err_set(err, ENAMETOOLONG, "'%s' is too long", root);
    char *name = path + n - strlen(ref->name);
    if (ref->target)
        for (char *p = name; *p; p++)
            if (*p == '.' && (p == strchr(name, '.') || p == strrchr(name, '.')))
                *p = '/';
    slash = strrchr(path, '/');
    *slash = '\0';
    rc = file_make_dirs(path, 0755, err);
    if (rc < 0)
        return rc;
    *slash = '/';
    return file_replace(path, value.data ? value.data : "", value.size, 0644, err);
}

int sim_materialise(const struct sim *sim, size_t server, int64_t t_ns,
                    const char *root, struct err *err)
{
    AUTO_FREE struct sim_param_ref *refs = NULL;
    size_t count = 0;
    int rc = sim_params_list(sim, server, t_ns, &refs, &count);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = write_param(sim, &refs[i], t_ns, root, err);
    return rc;
}
