/* SPDX-License-Identifier: Apache-2.0 */
/* site - the file systems of a site, as configured. */
#include "model/site.h"

#include "base/span.h"

#include "model/hostset.h"
#include "model/target.h"

#define FORMATS_MAX 16
#define OTHER_SUFFIX "@other"

struct filesystem_opts {
    const char *fsname;
    const char *servers;
    struct config_list clusters;
    struct config_list jobid_names;
    struct config_list namespaces;
};

static const struct config_key filesystem_keys[] = {
    { "fsname", CONFIG_TEXT, offsetof(struct filesystem_opts, fsname), NULL, 0, 0,
      "The file system's name as target names begin with; default: the section's "
      "name." },
    { "servers", CONFIG_TEXT, offsetof(struct filesystem_opts, servers), NULL, 0, 0,
      "The hosts that serve it, where two file systems have the same fsname." },
    { "cluster", CONFIG_LIST, offsetof(struct filesystem_opts, clusters), NULL, 0, 0,
      "A cluster whose jobs use it; repeated; default: those of every cluster." },
    { "jobid_name", CONFIG_LIST, offsetof(struct filesystem_opts, jobid_names), NULL, 0,
      0, "A format of job identifiers, as clients have it; repeated, tried in order." },
    { "namespace", CONFIG_LIST, offsetof(struct filesystem_opts, namespaces), NULL, 0,
      0, "A format (or the word unmatched) and the namespace UUID of its series." },
};

const struct config_section site_config_section = {
    .kind = "filesystem",
    .is_named = true,
    .keys = filesystem_keys,
    .key_count = COUNT_OF(filesystem_keys),
    .help = "A Lustre file system, by the name the site gives it.",
};

struct site_namespace {
    struct span fs, format; /* format.data NULL: unmatched */
    struct uuid ns;
};

struct filesystem {
    struct span name;        /* the instance */
    struct span fsname;      /* as in target names */
    const char *other;       /* name@other: targets of that fsname on foreign servers */
    struct hostset *servers; /* NULL: any */
    struct span *clusters;
    size_t cluster_count; /* 0: any */
    struct entry_format *formats[FORMATS_MAX];
    size_t format_count;
};

struct site {
    struct arena arena; /* all texts, filesystems and namespaces */
    struct filesystem *filesystems;
    size_t filesystem_count;
    struct site_namespace *namespaces;
    size_t namespace_count, namespace_capacity;
    struct entry_format *defaults[FORMATS_MAX];
    size_t default_count;
};

void site_free(struct site *site)
{
    if (!site)
        return;
    for (size_t i = 0; i < site->filesystem_count; i++) {
        hostset_free(site->filesystems[i].servers);
        for (size_t k = 0; k < site->filesystems[i].format_count; k++)
            entry_format_free(site->filesystems[i].formats[k]);
    }
    for (size_t k = 0; k < site->default_count; k++)
        entry_format_free(site->defaults[k]);
    free(site->namespaces);
    arena_done(&site->arena);
    free(site);
}

static struct span text_keep(struct site *site, struct span text)
{
    char *copy = arena_dup(&site->arena, text);
    return (struct span){ copy, copy ? text.size : 0 };
}

/* ---- building ---- */

static int formats_make(struct filesystem *fs, const struct config_list *names,
                        struct err *err)
{
    if (names->count > FORMATS_MAX)
        return err_set(err, EINVAL, "filesystem %s: %zu formats, %d are allowed",
                       fs->name.data, names->count, FORMATS_MAX);
    for (size_t i = 0; i < names->count; i++) {
        int rc = entry_format_new(names->items[i], &fs->formats[i], err);
        if (rc < 0)
            return err_prefix(err, rc, "filesystem %s: jobid_name", fs->name.data);
        fs->format_count++;
    }
    return 0;
}

static int namespace_add(struct site *site, const struct site_namespace *ns)
{
    if (site->namespace_count == site->namespace_capacity) {
        size_t capacity = site->namespace_capacity ? site->namespace_capacity * 2 : 16;
        void *grown = realloc(site->namespaces, capacity * sizeof *site->namespaces);
        if (!grown)
            return -ENOMEM;
        site->namespaces = grown;
        site->namespace_capacity = capacity;
    }
    site->namespaces[site->namespace_count++] = *ns;
    return 0;
}

/* "FORMAT UUID": a format has no blank, so the last one divides. */
static int namespace_parse(struct site *site, const struct filesystem *fs,
                           const char *item, struct err *err)
{
    const char *blank = strrchr(item, ' ');
    struct span format = { item, blank ? (size_t)(blank - item) : 0 };
    struct site_namespace ns = { .fs = fs->name };
    format = span_trim(format);
    if (format.size == 0 || uuid_parse(span_of(blank + 1), &ns.ns) < 0)
        return err_set(err, EINVAL,
                       "filesystem %s: namespace: '%s' is not a format and a UUID; "
                       "'baro jobstats namespace new' draws one",
                       fs->name.data, item);
    if (!span_is(format, "unmatched")) {
        ns.format = text_keep(site, format);
        if (!ns.format.data)
            return -ENOMEM;
    }
    struct uuid same;
    if (site_namespace(site, ns.fs, ns.format, &same))
        return err_set(err, EINVAL, "filesystem %s: namespace: '%s': twice a namespace",
                       fs->name.data, item);
    for (size_t i = 0; i < site->namespace_count; i++)
        if (memcmp(&site->namespaces[i].ns, &ns.ns, sizeof ns.ns) == 0)
            return err_set(err, EINVAL,
                           "filesystem %s: namespace: '%s': this UUID is given to "
                           "another format or file system; each has its own",
                           fs->name.data, item);
    return namespace_add(site, &ns);
}

static int clusters_make(struct site *site, struct filesystem *fs,
                         const struct config_list *names)
{
    fs->clusters = arena_alloc(&site->arena, names->count * sizeof *fs->clusters + 1);
    if (!fs->clusters)
        return -ENOMEM;
    for (size_t i = 0; i < names->count; i++) {
        struct span name = span_trim(span_of(names->items[i]));
        const char *copy = arena_dup(&site->arena, name);
        if (!copy)
            return -ENOMEM;
        fs->clusters[i] = (struct span){ copy, name.size };
        fs->cluster_count++;
    }
    return 0;
}

static int filesystem_make(struct site *site, const struct config *config,
                           const char *name, struct err *err)
{
    struct filesystem_opts opts = { 0 };
    int rc = config_fill(config, "filesystem", name, &opts, err);
    if (rc < 0)
        return rc;
    struct filesystem *fs = &site->filesystems[site->filesystem_count];
    fs->name = text_keep(site, span_of(name));
    fs->fsname = text_keep(site, span_of(opts.fsname ? opts.fsname : name));
    AUTO_FREE char *other = NULL;
    if (!fs->name.data || !fs->fsname.data ||
        asprintf(&other, "%s" OTHER_SUFFIX, name) < 0)
        return -ENOMEM;
    fs->other = arena_dup(&site->arena, span_of(other));
    if (!fs->other)
        return -ENOMEM;
    site->filesystem_count++; /* from here on site_free() sees it */
    if (opts.servers && *opts.servers) {
        rc = hostset_parse(span_of(opts.servers), &fs->servers, err);
        if (rc < 0)
            return err_prefix(err, rc, "filesystem %s: servers", name);
    }
    rc = clusters_make(site, fs, &opts.clusters);
    if (rc == 0)
        rc = formats_make(fs, &opts.jobid_names, err);
    for (size_t i = 0; i < opts.namespaces.count && rc == 0; i++)
        rc = namespace_parse(site, fs, opts.namespaces.items[i], err);
    return rc;
}

static void formats_drop(struct site *site)
{
    for (size_t i = 0; i < site->default_count; i++)
        entry_format_free(site->defaults[i]);
    site->default_count = 0;
}

int site_set_formats(struct site *site, const char *const *formats, size_t count,
                     struct err *err)
{
    if (count > FORMATS_MAX)
        return err_set(err, EINVAL, "more than %d formats", FORMATS_MAX);
    formats_drop(site);
    for (size_t i = 0; i < count; i++) {
        int rc = entry_format_new(formats[i], &site->defaults[i], err);
        if (rc < 0)
            return rc;
        site->default_count++;
    }
    return 0;
}

/* Whether a server could be either's. */
static bool share_server(const struct filesystem *a, const struct filesystem *b)
{
    if (!a->servers || !b->servers)
        return true;
    for (size_t i = 0; i < hostset_count(a->servers); i++)
        if (hostset_has(b->servers, span_of(hostset_at(a->servers, i))))
            return true;
    return false;
}

/* The first would have the rows of both. */
static int check_unambiguous(const struct site *site, const struct config *config,
                             struct err *err)
{
    const struct filesystem *all = site->filesystems;
    for (size_t i = 0; i < site->filesystem_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!span_eq(all[i].fsname, all[j].fsname) ||
                !share_server(&all[i], &all[j]))
                continue;
            AUTO(strbuf_done) struct strbuf at = STRBUF_INIT, other = STRBUF_INIT;
            config_print_place(config, "filesystem", all[i].name.data, &at);
            config_print_place(config, "filesystem", all[j].name.data, &other);
            return err_set(err, EINVAL,
                           "%s: [filesystem %s] and [filesystem %s] (%s) have the same "
                           "fsname \"%s\" and a server may be of either: give each "
                           "its own \"servers\"",
                           strbuf_text(&at), all[i].name.data, all[j].name.data,
                           strbuf_text(&other), all[i].fsname.data);
        }
    }
    return 0;
}

int site_new(const struct config *config, struct site **ret, struct err *err)
{
    static const char *const defaults[] = { "%j:%u:%H", "%e.%u" };
    AUTO(site_free) struct site *site = calloc(1, sizeof *site);
    if (!site)
        return -ENOMEM;
    arena_init(&site->arena, 0);
    int rc = site_set_formats(site, defaults, COUNT_OF(defaults), err);
    if (rc < 0)
        return rc;
    size_t count = config ? config_name_count(config, "filesystem") : 0;
    site->filesystems =
        arena_alloc(&site->arena, count * sizeof *site->filesystems + 1);
    if (!site->filesystems)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        rc = filesystem_make(site, config, config_name(config, "filesystem", i), err);
        if (rc < 0)
            return rc;
    }
    rc = check_unambiguous(site, config, err);
    if (rc < 0)
        return rc;
    *ret = TAKE(site);
    return 0;
}

/* ---- asking ---- */

static bool is_of_cluster(const struct filesystem *fs, struct span cluster)
{
    for (size_t i = 0; i < fs->cluster_count; i++)
        if (span_eq(fs->clusters[i], cluster))
            return true;
    return fs->cluster_count == 0 || cluster.size == 0;
}

bool site_fs_is_of(const struct site *site, struct span fs, struct span cluster)
{
    for (size_t i = 0; i < site->filesystem_count; i++)
        if (span_eq(site->filesystems[i].name, fs))
            return is_of_cluster(&site->filesystems[i], cluster);
    return true;
}

bool site_next_fs_of(const struct site *site, struct span cluster, size_t *cursor,
                     struct span *ret_fs)
{
    while (*cursor < site->filesystem_count) {
        const struct filesystem *fs = &site->filesystems[(*cursor)++];
        if (!is_of_cluster(fs, cluster))
            continue;
        *ret_fs = fs->name;
        return true;
    }
    return false;
}

bool site_names_clusters(const struct site *site)
{
    for (size_t i = 0; i < site->filesystem_count; i++)
        if (site->filesystems[i].cluster_count > 0)
            return true;
    return false;
}

bool site_clusters_meet(const struct site *site, struct span a, struct span b)
{
    for (size_t i = 0; i < site->filesystem_count; i++)
        if (is_of_cluster(&site->filesystems[i], a) &&
            is_of_cluster(&site->filesystems[i], b))
            return true;
    return !site_names_clusters(site) || span_eq(a, b) || a.size == 0 || b.size == 0;
}

/* Everything before the last "-MDT" or "-OST"; of other names all. */
static struct span target_fsname(struct span target)
{
    struct target_name name;
    if (target_parse(target, &name) == 0 && name.fs.size)
        return name.fs;
    return target;
}

struct span site_fs(const struct site *site, struct span server, struct span target)
{
    struct span fsname = target_fsname(target);
    for (size_t i = 0; i < site->filesystem_count; i++) {
        const struct filesystem *fs = &site->filesystems[i];
        if (span_eq(fs->fsname, fsname) &&
            (!fs->servers || hostset_has(fs->servers, server)))
            return fs->name;
    }
    for (size_t i = 0; i < site->filesystem_count; i++)
        if (span_eq(site->filesystems[i].name, fsname))
            return span_of(site->filesystems[i].other);
    return fsname;
}

static void formats_of(const struct site *site, struct span fs,
                       const struct entry_format *const **ret, size_t *ret_count)
{
    for (size_t i = 0; i < site->filesystem_count; i++) {
        const struct filesystem *f = &site->filesystems[i];
        if (!span_eq(f->name, fs) || f->format_count == 0)
            continue;
        *ret = (const struct entry_format *const *)f->formats;
        *ret_count = f->format_count;
        return;
    }
    *ret = (const struct entry_format *const *)site->defaults;
    *ret_count = site->default_count;
}

static bool is_plain(struct span s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] < ' ' || s.data[i] > '~' || s.data[i] == '\\')
            return false;
    return true;
}

/* A field in its text form; nothing (data NULL) where it is empty. */
static int field_text(struct span field, struct arena *arena, struct span *ret)
{
    if (field.size == 0) {
        *ret = (struct span){ 0 };
        return 0;
    }
    if (is_plain(field)) {
        *ret = field;
        return 0;
    }
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    entry_id_print(&text, field);
    char *copy = strbuf_error(&text) ? NULL : arena_dup(arena, strbuf_span(&text));
    if (!copy)
        return -ENOMEM;
    *ret = (struct span){ copy, text.size };
    return 0;
}

/* An identifier with an executable and a user and no place for a job comes from a login
 * node: all of them together are one job. */
static int login_job(struct series *s, struct arena *arena)
{
    char *job = arena_alloc(arena, s->executable.size + 1 + s->user.size + 1);
    if (!job)
        return -ENOMEM;
    memcpy(job, s->executable.data, s->executable.size);
    job[s->executable.size] = '.';
    memcpy(job + s->executable.size + 1, s->user.data, s->user.size);
    s->job = (struct span){ job, s->executable.size + 1 + s->user.size };
    s->is_login = true;
    return 0;
}

int site_describe(const struct site *site, struct span fs, struct span target,
                  enum target_kind kind, struct span entry_id, bool exact,
                  struct arena *arena, struct series *ret)
{
    const struct entry_format *const *formats = NULL;
    size_t count = 0;
    struct entry_split split = { 0 };
    formats_of(site, fs, &formats, &count);
    entry_id_split(entry_id, exact, formats, count, &split);
    struct series s = { .fs = fs,
                        .target = target,
                        .kind = kind,
                        .entry_id = entry_id,
                        .flags = split.flags };
    if (split.format)
        s.format = span_of(entry_format_text(split.format));
    struct span *const fields[ENTRY_FIELD_COUNT] = {
        [ENTRY_EXECUTABLE] = &s.executable,
        [ENTRY_HOST] = &s.node,
        [ENTRY_JOB] = &s.job,
        [ENTRY_USER] = &s.user,
        [ENTRY_GROUP] = &s.group,
        [ENTRY_PID] = &s.pid,
    };
    for (size_t i = 0; i < ENTRY_FIELD_COUNT && split.format; i++) {
        int rc = field_text(split.fields[i], arena, fields[i]);
        if (rc < 0)
            return rc;
    }
    if (split.format && !split.fields[ENTRY_JOB].data && s.executable.data &&
        s.user.data) {
        int rc = login_job(&s, arena);
        if (rc < 0)
            return rc;
    }
    *ret = s;
    return 0;
}

bool site_namespace(const struct site *site, struct span fs, struct span format,
                    struct uuid *ret)
{
    for (size_t i = 0; i < site->namespace_count; i++) {
        const struct site_namespace *ns = &site->namespaces[i];
        if (!span_eq(ns->fs, fs) || !span_eq(ns->format, format))
            continue;
        *ret = ns->ns;
        return true;
    }
    return false;
}

bool site_next_namespace(const struct site *site, size_t *cursor, struct span *ret_fs,
                         struct span *ret_format, struct uuid *ret)
{
    if (*cursor >= site->namespace_count)
        return false;
    const struct site_namespace *ns = &site->namespaces[(*cursor)++];
    *ret_fs = ns->fs;
    *ret_format = ns->format;
    *ret = ns->ns;
    return true;
}
