/* SPDX-License-Identifier: Apache-2.0 */
/* job_summarize - baro job summarize: each job's log and what surrounded it, as a row.
 *
 *     logs ──▶ workers (base/pool): log ──▶ columns, row, words ──▶ printed in their
 *                                                                   order
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/pool.h"
#include "cmd/commands.h"
#include "cmd/job_maker.h"
#include "cmd/job_sheet.h"
#include "cmd/job_table.h"
#include "cmd/log_list.h"

#define LOG_TIME_MAX_NS (300 * NS_PER_S)
#define PROGRESS_NS (NS_PER_S / 4)

struct args {
    struct job_maker_opts made;
    const char *output;
    const char *into;
    const char *resume;
    uint64_t workers;
    int64_t log_time_max_ns;
};

enum form { FORM_CSV, FORM_JSON, FORM_TABLE, FORM_XLSX };

struct summarizing {
    const struct args *args;
    enum form form;
    struct job_maker maker;
    struct log_list logs;    /* those that have no row yet */
    struct job_table table;  /* with --resume */
    struct job_sheet *sheet; /* of FORM_XLSX */
    struct strbuf header;    /* the columns, of the first row */
    size_t header_task;      /* in a worker: it was sent with this one's row */
    size_t rows, lost;
    int64_t begun_ns, told_ns;
};

static int form_parse(const char *name, enum form *ret)
{
    static const char *const names[] = { "csv", "json", "table", "xlsx" };
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    return -EINVAL;
}

/* ---- in a worker ---- */

/* What a worker says of a log: three texts with their sizes in front. */
struct answer {
    struct span header; /* of CSV; empty: not wanted, or told with another row */
    struct span row;    /* empty: none could be made */
    struct span words;  /* for standard error */
};

static void answer_put(const struct answer *answer, struct strbuf *out)
{
    const struct span *parts[] = { &answer->header, &answer->row, &answer->words };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        uint64_t size = parts[i]->size;
        strbuf_add(out, &size, sizeof size);
        strbuf_add_span(out, *parts[i]);
    }
}

static int answer_take(struct span bytes, struct answer *ret)
{
    struct span *parts[] = { &ret->header, &ret->row, &ret->words };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        uint64_t size;
        if (bytes.size < sizeof size)
            return -EBADMSG;
        memcpy(&size, bytes.data, sizeof size);
        bytes = span_skip(bytes, sizeof size);
        if (size > bytes.size)
            return -EBADMSG;
        *parts[i] = (struct span){ bytes.data, size };
        bytes = span_skip(bytes, size);
    }
    return 0;
}

static void row_form(enum form form, const struct job_row *row, struct strbuf *out)
{
    if (form == FORM_JSON || form == FORM_XLSX)
        job_row_print_json(row, out);
    else if (form == FORM_CSV)
        job_row_print_csv(row, out);
    else
        job_row_print_lines(row, out);
}

static void log_do(void *arg, size_t task, struct strbuf *ret)
{
    struct summarizing *s = arg;
    const char *log = s->logs.paths[task];
    AUTO(job_row_done) struct job_row row = { 0 };
    AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    struct err err = { 0 };
    job_row_init(&row);
    int rc = job_maker_make(&s->maker, log, &row, &faults, &err);
    if (faults.size > 0)
        strbuf_addf(&words, "baro: %s: %s", log, strbuf_text(&faults));
    if (rc < 0)
        strbuf_addf(&words, "baro: %s\n", err.text[0] ? err.text : strerror(-rc));
    else
        row_form(s->form, &row, &text);
    /* Again with an earlier task, which is taken before that one. */
    bool has_header = s->form == FORM_CSV || s->form == FORM_XLSX;
    if (rc == 0 && has_header && task < s->header_task) {
        job_row_print_header(&row, &header);
        s->header_task = task;
    }
    const struct answer answer = { strbuf_span(&header), strbuf_span(&text),
                                   strbuf_span(&words) };
    answer_put(&answer, ret);
    if (strbuf_error(&text) < 0 || strbuf_error(&words) < 0)
        ret->error = -ENOMEM;
}

/* ---- in the process that prints ---- */

/* On a terminal a line that is written over. */
static void progress(struct summarizing *s, size_t done)
{
    int64_t now_ns = clock_monotonic_ns();
    bool is_end = done == s->logs.count;
    if (s->logs.count < 2 || !isatty(STDERR_FILENO) ||
        (!is_end && now_ns - s->told_ns < PROGRESS_NS))
        return;
    s->told_ns = now_ns;
    double elapsed_s = (double)(now_ns - s->begun_ns) / NS_PER_S;
    double by_s = elapsed_s > 0 ? (double)done / elapsed_s : 0;
    fprintf(stderr, "\r%zu of %zu logs, %.0f a second", done, s->logs.count, by_s);
    if (is_end)
        fprintf(stderr, "          \n");
    else if (by_s > 0)
        fprintf(stderr, ", %.0f s left  ", (double)(s->logs.count - done) / by_s);
}

static int sheet_write(struct summarizing *s, struct span text, struct err *err)
{
    static const char *const times[] = { "_datetime_start",
                                         "_datetime_end",
                                         "darshan_start_time",
                                         "darshan_end_time",
                                         "fs_window_start",
                                         "fs_window_end",
                                         NULL };
    AUTO(job_row_done) struct job_row row;
    job_row_init(&row);
    int rc = job_row_read_json(&row, text, err);
    if (rc == 0 && s->rows == 0)
        rc = job_sheet_header(s->sheet, strbuf_span(&s->header), times, err);
    return rc == 0 ? job_sheet_add(s->sheet, &row, err) : rc;
}

/* A workbook without rows is none. */
static int sheet_end(struct summarizing *s, struct err *err)
{
    size_t cut = 0;
    if (s->rows == 0)
        return err_set(err, ENODATA, "%s: not written, for there is no row",
                       s->args->into);
    int rc = job_sheet_finish(s->sheet, &cut, err);
    if (rc == 0 && cut > 0)
        fprintf(stderr, "baro: %s: %zu texts were longer than a cell may be\n",
                s->args->into, cut);
    return rc;
}

static int row_write(struct summarizing *s, const struct answer *answer,
                     struct err *err)
{
    if (s->sheet)
        return sheet_write(s, answer->row, err);
    if (s->args->resume)
        return job_table_add(&s->table, strbuf_text(&s->header), answer->row, err);
    if (s->form == FORM_CSV && s->rows == 0)
        (void)fwrite(s->header.data, 1, s->header.size, stdout);
    if (s->form == FORM_JSON)
        (void)fputs(s->rows == 0 ? "[\n" : ",\n", stdout);
    (void)fwrite(answer->row.data, 1, answer->row.size, stdout);
    return ferror(stdout) ? err_set(err, EIO, "standard output: %s", strerror(errno))
                          : 0;
}

/* The process's own words come through here too, so that they are in order. */
static int answer_write(struct summarizing *s, const struct answer *answer)
{
    struct err err = { 0 };
    if (answer->words.size > 0)
        fprintf(stderr, SPAN_FMT, SPAN_ARG(answer->words));
    if (answer->header.size > 0 && s->header.size == 0)
        strbuf_add_span(&s->header, answer->header);
    if (answer->row.size == 0) {
        s->lost++;
        return 0;
    }
    int rc = row_write(s, answer, &err);
    s->rows += rc == 0;
    if (rc < 0)
        fprintf(stderr, "baro: %s\n", err.text);
    return rc;
}

static int on_result(void *arg, const struct pool_result *result)
{
    struct summarizing *s = arg;
    const char *log = s->logs.paths[result->task];
    struct answer answer;
    int rc = 0;
    if (result->fate == POOL_DONE) {
        rc = answer_take(result->bytes, &answer);
        rc = rc < 0 ? rc : answer_write(s, &answer);
    } else {
        s->lost++;
        if (result->fate == POOL_LATE)
            fprintf(stderr, "baro: %s: took longer than --log-time-max: given up\n",
                    log);
        else
            fprintf(stderr, "baro: %s: the process that read it ended twice: %s\n", log,
                    result->signal ? strsignal(result->signal) : "by itself");
    }
    progress(s, result->task + 1);
    return rc;
}

/* Logs that have a row already are passed over. */
static void logs_pass(struct summarizing *s)
{
    size_t kept = 0;
    size_t count = s->logs.count;
    for (size_t i = 0; i < count; i++)
        if (!job_table_has(&s->table, s->logs.paths[i]))
            s->logs.paths[kept++] = s->logs.paths[i];
    s->logs.count = kept;
    if (kept < count)
        fprintf(stderr, "baro: %zu of %zu logs had a row already\n", count - kept,
                count);
}

static int run_all(struct summarizing *s, struct err *err)
{
    uint64_t workers = s->args->workers ? s->args->workers : pool_workers_default();
    const struct pool_opts opts = {
        .workers = workers < POOL_WORKERS_MAX ? (unsigned)workers : POOL_WORKERS_MAX,
        .count = s->logs.count,
        .task_ns_max =
            s->args->log_time_max_ns ? s->args->log_time_max_ns : LOG_TIME_MAX_NS,
        .arg = s,
        .work = log_do,
        .take = on_result,
    };
    s->begun_ns = clock_monotonic_ns();
    (void)fflush(stdout);
    int rc = pool_run(&opts, err);
    if (rc == 0 && s->form == FORM_JSON)
        (void)fputs(s->rows == 0 ? "[]\n" : "\n]\n", stdout);
    if (rc == 0 && s->sheet)
        rc = sheet_end(s, err);
    if (rc == 0 && s->lost > 0 && s->logs.count > 1)
        fprintf(stderr, "baro: %zu of %zu logs gave no row\n", s->lost, s->logs.count);
    if (fflush(stdout) != 0 && rc == 0)
        rc = err_set(err, EIO, "standard output: %s", strerror(errno));
    return rc;
}

static int open_all(struct summarizing *s, int operand_count, char **operands,
                    size_t *ret_unread, struct err *err)
{
    const struct args *args = s->args;
    int rc = args->resume ? job_table_open(&s->table, args->resume, err) : 0;
    if (rc == 0 && s->form == FORM_XLSX)
        rc = job_sheet_new(args->into, &s->sheet, err);
    if (rc == 0)
        rc = job_maker_open(&args->made, &s->maker, err);
    if (rc == 0)
        rc = log_list_make(operands, (size_t)operand_count, &s->logs, ret_unread, err);
    if (rc == 0 && args->resume)
        logs_pass(s);
    return rc;
}

/* What goes together; says what does not. */
static bool args_check(const struct args *args, int operand_count, enum form *ret)
{
    const char *form = args->output ? args->output : args->resume ? "csv" : "table";
    if (operand_count == 0 || form_parse(form, ret) < 0 ||
        (args->resume && *ret != FORM_CSV)) {
        fprintf(stderr, "baro: job summarize wants at least one LOG, and as --output "
                        "csv, json, table or xlsx; with --resume csv\n");
        return false;
    }
    if ((*ret == FORM_XLSX) != (args->into != NULL)) {
        fprintf(stderr, "baro: job summarize: --output xlsx and --into FILE go "
                        "together\n");
        return false;
    }
    return true;
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    const struct args *args = args_arg;
    struct summarizing s = { .args = args,
                             .table = { .fd = -1 },
                             .header_task = SIZE_MAX };
    struct err err = { 0 };
    size_t unread = 0;
    if (!args_check(args, operand_count, &s.form))
        return EXIT_USAGE;
    s.maker.opts = &args->made; /* to be done with, whatever happens */
    int rc = open_all(&s, operand_count, operands, &unread, &err);
    if (rc == 0)
        rc = run_all(&s, &err);
    if (rc < 0 && err.text[0])
        fprintf(stderr, "baro: %s\n", err.text);
    job_maker_done(&s.maker);
    log_list_done(&s.logs);
    job_table_done(&s.table);
    job_sheet_free(s.sheet);
    strbuf_done(&s.header);
    if (rc < 0)
        return err_exit_status(rc);
    return s.lost > 0 || unread > 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option options[] = {
    { "series", 's', OPTION_LIST, offsetof(struct args, made.series), "FILE",
      "What the servers measured meanwhile: TOKIO HDF5, h5lmt, a copy of an LMT "
      "database in SQLite, or barod or its address; may be repeated." },
    { "health", 'H', OPTION_LIST, offsetof(struct args, made.health), "FILE|DIRECTORY",
      "How the file system was: kept lfs df and lctl dl -t, BEGIN before each, or the "
      "directory of baro health record; may be repeated." },
    { "health-age-max", 0, OPTION_DURATION,
      offsetof(struct args, made.health_age_max_ns), "DURATION",
      "How old the last reading before a job may be; default: 1h." },
    { "jobs", 'j', OPTION_LIST, offsetof(struct args, made.jobs), "FILE",
      "What else ran, in any form that baro job list reads; may be repeated." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, made.cluster), "NAME",
      "Of the jobs; default: the job's own." },
    { "topology", 't', OPTION_LIST, offsetof(struct args, made.topology), "FILE",
      "Where the jobs' nodes stand and what they reach storage through: xtdb2proc's "
      "text, or lines 'NODES X Y Z' and 'NODES via GATEWAYS'; may be repeated." },
    CLOCK_LIST_OPTION(offsetof(struct args, made.clocks)),
    SERIES_WAY_OPTIONS(struct args, made.way),
    { "site", 0, OPTION_TEXT, offsetof(struct args, made.site), "FILE",
      "What the site's file systems are called, where they are mounted, and their "
      "peaks." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), csv, json or xlsx." },
    { "into", 'i', OPTION_TEXT, offsetof(struct args, into), "FILE.xlsx",
      "The workbook to write; with --output xlsx." },
    { "resume", 'r', OPTION_TEXT, offsetof(struct args, resume), "FILE",
      "Put rows at the end of this CSV file, and pass over logs that have one." },
    { "workers", 'w', OPTION_LIMIT, offsetof(struct args, workers), "N",
      "Processes that read logs; default: one a processor." },
    { "log-time-max", 0, OPTION_DURATION, offsetof(struct args, log_time_max_ns),
      "DURATION", "Give up a log that takes longer; default: 5m." },
};

const struct command cmd_job_summarize = {
    .name = "job summarize",
    .operands = "LOG|DIRECTORY...",
    .help = "Each job's Darshan log, and what its file system did meanwhile, as a row.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
    .details =
        "Of a directory, and of those in it, all files named *.darshan. Rows are in "
        "the\n"
        "order of the logs, whatever the number of workers. A log that cannot be read, "
        "or\n"
        "at which a worker crashes or hangs, is named, and costs its own row only.",
};
