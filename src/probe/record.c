/* SPDX-License-Identifier: Apache-2.0 */
/* record - what is stored of a probe: a document, and rows beside those of other
 * nights.
 */
#include "probe/record.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/timetext.h"
#include "model/model.h"
#include "probe/darshan_log.h"
#include "probe/record_drop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_BYTES 4096
#define HEADER_BYTES 1024 /* more than the names of the columns have */
#define ASIDE_MAX 1000
#define MIB 1048576.0

static double seconds(int64_t ns)
{
    return (double)ns / (double)NS_PER_S;
}

static double rate(const struct run_phase *p)
{
    return p->slowest_ns > 0 ? (double)p->bytes / seconds(p->slowest_ns) : 0.0;
}

static const char *phase_name(const struct run_opts *opts, const struct run_phase *p)
{
    return p->phase == SHAPE_WRITE ? opts->shape->write_name : opts->shape->read_name;
}

/* ---- the document ---- */

static void member_u64(struct json_writer *w, const char *key, uint64_t value)
{
    json_key(w, key);
    json_u64(w, value);
}

static void member_seconds(struct json_writer *w, const char *key, int64_t ns)
{
    json_key(w, key);
    json_double(w, seconds(ns));
}

static void member_text(struct json_writer *w, const char *key, const char *text)
{
    json_key(w, key);
    json_text(w, text);
}

static void rank_json(struct json_writer *w, const struct record_about *about,
                      const struct run_phase *p, unsigned rank)
{
    const struct run_rank *r = &p->ranks[rank];
    char log[RUN_PATH_MAX];
    json_object(w);
    member_u64(w, "bytes", r->bytes);
    member_u64(w, "transfers", r->transfers);
    member_seconds(w, "open_s", r->open_ns);
    member_seconds(w, "transfer_s", r->transfer_ns);
    member_seconds(w, "sync_s", r->sync_ns);
    member_seconds(w, "close_s", r->close_ns);
    if (r->bad_transfers) {
        member_u64(w, "bad_transfers", r->bad_transfers);
        member_u64(w, "first_bad_file", r->first_bad_file);
        member_u64(w, "first_bad_offset", r->first_bad_offset);
    }
    if (r->error)
        member_text(w, "error", r->text);
    if (about->log_stem && r->is_logged &&
        darshan_log_path(log, about->log_stem, p->phase, rank) == 0)
        member_text(w, "log", log);
    json_object_end(w);
}

static void phase_json(struct json_writer *w, const struct record_about *about,
                       const struct run_opts *opts, const struct run_phase *p)
{
    char text[TIMETEXT_SIZE];
    (void)timetext_print_ms(text, p->start_ns / NS_PER_MS);
    json_object(w);
    member_text(w, "name", phase_name(opts, p));
    member_text(w, "start", text);
    json_key(w, "done");
    json_bool(w, p->is_done);
    member_u64(w, "bytes", p->bytes);
    member_u64(w, "files", p->files);
    member_u64(w, "opens", p->opens);
    member_u64(w, "transfers", p->transfers);
    member_u64(w, "bad_transfers", p->bad_transfers);
    member_seconds(w, "wall_s", p->wall_ns);
    member_seconds(w, "slowest_s", p->slowest_ns);
    json_key(w, "bytes_per_s_by_slowest");
    json_double(w, rate(p));
    json_key(w, "processes");
    json_array(w);
    for (unsigned i = 0; i < p->count; i++)
        rank_json(w, about, p, i);
    json_array_end(w);
    json_object_end(w);
}

void record_json(const struct record_about *about, const struct run_opts *opts,
                 const struct run_result *result, struct strbuf *out)
{
    struct json_writer w;
    json_writer_init(&w, out);
    json_object(&w);
    member_text(&w, "format", "baro-abc 1");
    member_text(&w, "id", about->id);
    member_text(&w, "host", about->host);
    member_text(&w, "file_system", about->file_system);
    member_text(&w, "mount", about->mount);
    member_text(&w, "directory", opts->dir);
    member_text(&w, "job", about->job);
    member_text(&w, "cluster", about->cluster);
    member_text(&w, "nodes", about->nodes);
    member_text(&w, "probe", opts->shape->name);
    member_text(&w, "interface", opts->interface->name);
    member_text(&w, "stripes", about->stripes);
    member_u64(&w, "processes", result->phases[SHAPE_WRITE].count);
    member_u64(&w, "items_per_process", opts->items);
    member_u64(&w, "transfer_bytes", opts->shape->transfer_bytes);
    json_key(&w, "core_hours");
    json_double(&w, about->core_hours);
    member_text(&w, "failure", about->failure);
    member_text(&w, "log", about->log);
    json_key(&w, "phases");
    json_array(&w);
    for (size_t i = 0; i < COUNT_OF(result->phases); i++)
        if (result->phases[i].ranks)
            phase_json(&w, about, opts, &result->phases[i]);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_addc(out, '\n');
}

/* ---- rows ---- */

void record_csv_header(struct strbuf *out)
{
    strbuf_adds(
        out,
        "_jobid,_datetime_start,_file_system,darshan_app,darshan_nprocs,"
        "darshan_agg_perf_by_slowest_posix,darshan_biggest_write_api_bytes,"
        "darshan_biggest_write_api_files,darshan_biggest_read_api_bytes,"
        "darshan_biggest_read_api_files,darshan_tot_bytes_written_posix,"
        "darshan_tot_bytes_read_posix,darshan_tot_writes_posix,darshan_tot_reads_posix,"
        "darshan_tot_opens_posix,darshan_total_gibs_posix,abc_interface,abc_wall_s,"
        "abc_open_s,abc_transfer_s,abc_sync_s,abc_close_s,abc_imbalance,"
        "abc_core_hours,abc_job,abc_cluster,abc_nodes\n");
}

/* RFC 4180: in quotes when it must be. */
static void csv_text(struct strbuf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        strbuf_adds(out, text);
        return;
    }
    strbuf_addc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            strbuf_addc(out, '"');
        strbuf_addc(out, *text);
    }
    strbuf_addc(out, '"');
}

/* The longest that any process spent in each kind of call; how much longer than the
 * mean the slowest took in all. */
static void times_csv(struct strbuf *out, const struct run_phase *p)
{
    int64_t longest[4] = { 0 };
    double sum_ns = 0.0;
    for (unsigned i = 0; i < p->count; i++) {
        const struct run_rank *r = &p->ranks[i];
        const int64_t parts[4] = { r->open_ns, r->transfer_ns, r->sync_ns,
                                   r->close_ns };
        for (size_t k = 0; k < COUNT_OF(parts); k++) {
            if (parts[k] > longest[k])
                longest[k] = parts[k];
            sum_ns += (double)parts[k];
        }
    }
    strbuf_addf(out, ",%.6f", seconds(p->wall_ns));
    for (size_t k = 0; k < COUNT_OF(longest); k++)
        strbuf_addf(out, ",%.6f", seconds(longest[k]));
    strbuf_addf(out, ",%.4f",
                sum_ns > 0.0 ? (double)p->slowest_ns * p->count / sum_ns : 1.0);
}

static void phase_csv(struct strbuf *out, const struct record_about *about,
                      const struct run_opts *opts, const struct run_phase *p)
{
    char start[TIMETEXT_SIZE];
    (void)timetext_print_ms(start, p->start_ns / NS_PER_MS);
    bool is_write = p->phase == SHAPE_WRITE;
    uint64_t written = is_write ? p->bytes : 0, read = is_write ? 0 : p->bytes;
    strbuf_addf(out, "%s-%s,%s,", about->id, is_write ? "write" : "read", start);
    csv_text(out, about->file_system);
    strbuf_addf(out, ",%s,%u,%.3f", phase_name(opts, p), p->count, rate(p) / MIB);
    strbuf_addf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, written,
                is_write ? p->files : 0, read, is_write ? 0 : p->files);
    strbuf_addf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                written, read, is_write ? p->transfers : 0, is_write ? 0 : p->transfers,
                p->opens);
    strbuf_addf(out, ",%.6f,%s", (double)p->bytes / (MIB * 1024.0),
                opts->interface->name);
    times_csv(out, p);
    strbuf_addf(out, ",%.6f", about->core_hours);
    const char *const texts[] = { about->job, about->cluster, about->nodes };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        strbuf_addc(out, ',');
        csv_text(out, texts[i] ? texts[i] : "");
    }
    strbuf_addc(out, '\n');
}

void record_csv(const struct record_about *about, const struct run_opts *opts,
                const struct run_result *result, struct strbuf *out)
{
    for (size_t i = 0; i < COUNT_OF(result->phases); i++)
        if (result->phases[i].is_done)
            phase_csv(out, about, opts, &result->phases[i]);
}

int record_nodes(const struct run_result *result, struct strbuf *out)
{
    AUTO(strbuf_done) struct strbuf hosts = STRBUF_INIT;
    AUTO(hostset_free) struct hostset *set = NULL;
    const struct run_phase *p = &result->phases[SHAPE_WRITE];
    for (unsigned i = 0; p->ranks && i < p->count; i++) {
        const char *host = p->ranks[i].host;
        unsigned first = 0;
        while (strcmp(p->ranks[first].host, host) != 0)
            first++;
        if (host[0] && first == i)
            strbuf_addf(&hosts, "%s%s", hosts.size ? "," : "", host);
    }
    if (strbuf_error(&hosts))
        return -ENOMEM;
    if (hosts.size == 0)
        return 0;
    int rc = hostset_parse(strbuf_span(&hosts), &set, NULL);
    if (rc == 0)
        hostset_print(set, out);
    return rc == -ENOMEM ? rc : strbuf_error(out);
}

/* ---- stored ---- */

/* Whether the table at fd has the columns that rows are written with now. */
static bool has_our_columns(int fd, off_t size)
{
    AUTO(strbuf_done) struct strbuf ours = STRBUF_INIT;
    char line[HEADER_BYTES];
    record_csv_header(&ours);
    if (size == 0)
        return true;
    return ours.size <= sizeof line && size >= (off_t)ours.size &&
           pread(fd, line, ours.size, 0) == (ssize_t)ours.size &&
           memcmp(line, ours.data, ours.size) == 0;
}

/* A table of an earlier version stays as it is, under another name. */
static int set_aside(const char *dir, const char *path, struct err *err)
{
    char aside[PATH_BYTES];
    for (unsigned i = 1; i <= ASIDE_MAX; i++) {
        if (snprintf(aside, sizeof aside, "%s/runs-%u.csv", dir, i) >=
            (int)sizeof aside)
            return err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
        if (access(aside, F_OK) == 0)
            continue;
        if (rename(path, aside) == 0)
            return 0;
        return err_set(err, errno, "rename '%s' to '%s': %s", path, aside,
                       strerror(errno));
    }
    return err_set(err, EEXIST, "'%s': over %d tables of earlier versions", dir,
                   ASIDE_MAX);
}

/* The table, locked against other campaigns with the same archive.  *ret_size: 0 where
 * it is to begin with the names of its columns. */
static int open_rows(const char *dir, const char *path, int *ret_fd, off_t *ret_size,
                     struct err *err)
{
    for (;;) {
        AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        struct stat st, named;
        if (fd < 0)
            return err_set(err, errno, "open '%s': %s", path, strerror(errno));
        int rc = file_lock(fd);
        if (rc < 0)
            return err_set(err, -rc, "lock '%s': %s", path, strerror(-rc));
        if (fstat(fd, &st) < 0)
            return err_set(err, errno, "'%s': %s", path, strerror(errno));
        if (stat(path, &named) < 0 || named.st_ino != st.st_ino)
            continue; /* it was set aside by another campaign */
        if (has_our_columns(fd, st.st_size)) {
            *ret_fd = fd;
            *ret_size = st.st_size;
            fd = -1;
            return 0;
        }
        rc = set_aside(dir, path, err);
        if (rc < 0)
            return rc;
    }
}

/* One write with O_APPEND, and a header before the first row of all. */
static int append_rows(const char *dir, struct span csv, struct err *err)
{
    char path[PATH_BYTES];
    off_t size = 0;
    AUTO_CLOSE int fd = -1;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    if (snprintf(path, sizeof path, "%s/runs.csv", dir) >= (int)sizeof path)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
    int rc = open_rows(dir, path, &fd, &size, err);
    if (rc < 0)
        return rc;
    if (size == 0)
        record_csv_header(&text);
    strbuf_add_span(&text, csv);
    if (strbuf_error(&text))
        return -ENOMEM;
    rc = file_write_all(fd, text.data, text.size);
    if (rc == 0 && fdatasync(fd) < 0)
        rc = -errno;
    if (rc < 0) {
        bool is_whole = ftruncate(fd, size) == 0; /* no half of a row stays */
        return err_set(err, -rc, "write '%s': %s%s", path, strerror(-rc),
                       is_whole ? "" : "; a part of a row is at its end");
    }
    return 0;
}

int record_store(const char *dir, const char *id, int64_t t_ns, struct span json,
                 struct span csv, uint64_t keep_max, struct err *err)
{
    char day[PATH_BYTES], path[PATH_BYTES + 64], date[DARSHAN_LOG_DAY_BYTES];
    darshan_log_day(date, t_ns);
    if (snprintf(day, sizeof day, "%s/%s", dir, date) >= (int)sizeof day)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", dir);
    int rc = file_make_dirs(day, 0755, err);
    if (rc == 0 &&
        snprintf(path, sizeof path, "%s/%s.json", day, id) >= (int)sizeof path)
        rc = -ENAMETOOLONG;
    if (rc == 0)
        rc = file_replace(path, json.data, json.size, 0644, err);
    if (rc == 0)
        rc = append_rows(dir, csv, err);
    if (rc == 0 && keep_max)
        record_drop_oldest(dir, keep_max);
    return rc;
}
