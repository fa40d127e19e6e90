/* SPDX-License-Identifier: Apache-2.0 */
/* job_summarize - baro job summarize: each job's log and what surrounded it, as a row.
 *
 *     logs ──▶ workers (base/pool): log ──▶ columns, row, words ──▶ printed in their
 *                                                                   order
 */
#include "base/clock.h"
#include "base/json_writer.h"
#include "base/number.h"
#include "base/pool.h"
#include "base/terminal.h"
#include "client/client.h"
#include "cmd/commands.h"
#include "cmd/job_maker.h"
#include "cmd/job_operand.h"
#include "cmd/job_server.h"
#include "cmd/job_table.h"
#include "cmd/log_list.h"
#include "cmd/output.h"
#include "cmd/warning.h"
#include "report/report.h"

#define LOG_TIME_MAX_NS (300 * NS_PER_S)
#define PROGRESS_NS (NS_PER_S / 4)
#define SERVER_NS (2 * NS_PER_S)

struct args {
    struct job_maker_opts made;
    const char *output;
    const char *into;
    const char *resume;
    bool again;
    uint64_t workers;
    int64_t log_time_max_ns;
};

enum form { FORM_CSV, FORM_JSON, FORM_TABLE, FORM_XLSX, FORM_NONE };

struct summarizing {
    const struct args *args;
    enum form form;
    struct job_maker maker;
    char **ids; /* of jobs whose stored rows are wanted */
    size_t id_count;
    struct log_list logs;      /* those that have no row yet */
    struct job_table table;    /* with --resume */
    struct job_sheet *sheet;   /* of FORM_XLSX */
    struct job_server *server; /* with --server */
    int64_t server_ns;         /* when it was told last */
    struct strbuf header;      /* the columns, of the first row */
    size_t header_task;        /* in a worker: it was sent with this one's row */
    size_t rows, lost;
    int64_t begun_ns, told_ns;
};

static int form_parse(const char *name, enum form *ret)
{
    static const char *const names[] = { "csv", "json", "table", "xlsx", "none" };
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = i;
            return 0;
        }
    return -EINVAL;
}

/* ---- in a worker ---- */

/* What a worker says of a log: texts with their sizes in front. */
struct answer {
    struct span header; /* of CSV; empty: not wanted, or told with another row */
    struct span row;    /* empty: none could be made */
    struct span line;   /* for --server; empty: nobody wants it */
    struct span words;  /* for standard error */
};

static void answer_put(const struct answer *answer, struct strbuf *out)
{
    const struct span *parts[] = { &answer->header, &answer->row, &answer->line,
                                   &answer->words };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        uint64_t size = parts[i]->size;
        strbuf_add(out, &size, sizeof size);
        strbuf_add_span(out, *parts[i]);
    }
}

static int answer_take(struct span bytes, struct answer *ret)
{
    struct span *parts[] = { &ret->header, &ret->row, &ret->line, &ret->words };
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

static void row_form(enum form form, const struct job_context *context,
                     struct strbuf *out)
{
    if (form == FORM_JSON || form == FORM_XLSX)
        job_context_print_json(context, out);
    else if (form == FORM_CSV)
        job_context_print_csv(context, out);
    else if (form == FORM_TABLE)
        job_context_print_lines(context, out);
}

static void log_do(void *arg, size_t task, struct strbuf *ret)
{
    struct summarizing *s = arg;
    const char *log = s->logs.paths[task];
    AUTO(job_context_done) struct job_context context;
    AUTO(strbuf_done) struct strbuf faults = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf words = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf line = STRBUF_INIT;
    struct err err = { 0 };
    job_context_init(&context);
    int rc = job_build(&s->maker.inputs, log, &context, &faults, &err);
    if (faults.size > 0)
        strbuf_addf(&words, "baro: %s: %s", log, strbuf_text(&faults));
    if (rc < 0)
        strbuf_addf(&words, "baro: %s\n", err.text[0] ? err.text : strerror(-rc));
    else
        row_form(s->form, &context, &text);
    if (rc == 0 && s->server)
        job_context_print_line(&context, &line);
    /* Again with an earlier task, which is taken before that one. */
    bool has_header = s->form == FORM_CSV || s->form == FORM_XLSX;
    if (rc == 0 && has_header && task < s->header_task) {
        summary_print_csv_header(&header);
        s->header_task = task;
    }
    const struct answer answer = { strbuf_span(&header), strbuf_span(&text),
                                   strbuf_span(&line), strbuf_span(&words) };
    answer_put(&answer, ret);
    if (strbuf_error(&text) < 0 || strbuf_error(&words) < 0 || strbuf_error(&line) < 0)
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
    fprintf(stderr, "%s%zu of %zu logs, %.0f a second",
            terminal_order(TERMINAL_LINE_START), done, s->logs.count, by_s);
    if (is_end)
        fprintf(stderr, "          \n");
    else if (by_s > 0)
        fprintf(stderr, ", %.0f s left  ", (double)(s->logs.count - done) / by_s);
}

static int sheet_write(struct summarizing *s, struct span text, struct err *err)
{
    AUTO(job_row_done) struct job_row row;
    job_row_init(&row);
    int rc = job_row_read_json(&row, text, err);
    if (rc == 0 && s->rows == 0)
        rc = job_sheet_header(s->sheet, err);
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

/* What was made is kept soon, so that little is made again after an end. */
static int server_write(struct summarizing *s, struct span line, struct err *err)
{
    int rc = job_server_tell(s->server, JOB_SERVER_SUMMARIES, line, err);
    int64_t now_ns = clock_monotonic_ns();
    if (rc < 0 || now_ns - s->server_ns < SERVER_NS)
        return rc;
    rc = job_server_flush(s->server, err);
    s->server_ns = clock_monotonic_ns();
    return rc;
}

static int row_write(struct summarizing *s, const struct answer *answer,
                     struct err *err)
{
    int rc = answer->line.size > 0 ? server_write(s, answer->line, err) : 0;
    if (rc < 0 || s->form == FORM_NONE)
        return rc;
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
    if (answer->row.size == 0 && answer->line.size == 0) {
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
static void logs_pass(struct summarizing *s, const struct hashmap *told)
{
    size_t kept = 0;
    size_t count = s->logs.count;
    for (size_t i = 0; i < count; i++)
        if (!job_table_has(&s->table, s->logs.paths[i]) &&
            !hashmap_get(told, span_of(s->logs.paths[i])))
            s->logs.paths[kept++] = s->logs.paths[i];
    s->logs.count = kept;
    if (kept < count)
        fprintf(stderr, "baro: %zu of %zu logs had a row already\n", count - kept,
                count);
}

/* In a database a log is known by a path that is the same from everywhere. */
static int logs_make_whole(struct log_list *logs, struct err *err)
{
    for (size_t i = 0; i < logs->count; i++) {
        AUTO_FREE char *whole = realpath(logs->paths[i], NULL);
        if (!whole)
            continue; /* reading it will say why */
        logs->paths[i] = arena_dup(&logs->arena, span_of(whole));
        if (!logs->paths[i])
            return err_set(err, ENOMEM, "out of memory");
    }
    return 0;
}

/* The logs that barod has a row of. */
static int server_logs(struct summarizing *s, struct hashmap *ret, struct err *err)
{
    AUTO(net_url_done) struct net_url url = { 0 };
    AUTO(table_done) struct table table;
    struct span text;
    bool has_more;
    table_init(&table);
    net_url_init(&url, "/v1/summaries");
    net_url_add(&url, "cluster", s->args->made.cluster);
    net_url_add(&url, "limit", JOB_SERVER_JOBS_MAX);
    net_url_add(&url, "format", "table");
    int rc = job_server_get(s->server, &url, &text, &has_more, err);
    if (rc == 0)
        rc = table_from_json(text, &table, err);
    int at = rc == 0 ? table_find_column(&table, "_log") : -1;
    if (rc == 0 && (at < 0 || table.columns[at].type != TABLE_TEXT))
        rc = err_set(err, EBADMSG, "the server's answer has no logs");
    for (size_t i = 0; rc == 0 && i < table.row_count; i++) {
        const struct table_cell *cell = table_at(&table, i, (size_t)at);
        if (!cell->is_null && !hashmap_put(ret, span_of(cell->text), NULL))
            rc = err_set(err, ENOMEM, "out of memory");
    }
    return rc;
}

static int logs_choose(struct summarizing *s, struct err *err)
{
    struct hashmap told = { 0 };
    int rc = 0;
    if (s->server)
        rc = logs_make_whole(&s->logs, err);
    if (rc == 0 && s->server)
        rc = server_logs(s, &told, err);
    if (rc == 0 && (s->server || s->args->resume) && !s->args->again)
        logs_pass(s, &told);
    hashmap_done(&told);
    return rc;
}

/* The rows that a barod has of jobs called by their ids. */
static int stored_write(struct summarizing *s, const char *id, struct err *err)
{
    AUTO(job_operand_done) struct job_operand job = { 0 };
    AUTO(strbuf_done) struct strbuf header = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    const struct series_opts *way = &s->args->made.way;
    const struct client_endpoint endpoint = { .server = way->server,
                                              .token_file = way->token_file,
                                              .ca_file = way->ca_file };
    int rc = job_operand_find(&endpoint, s->args->made.cluster, id, &job, err);
    if (rc < 0)
        return rc;
    summary_print_csv_header(&header);
    row_form(s->form == FORM_NONE ? FORM_TABLE : s->form, &job.stored, &text);
    if (strbuf_error(&header) < 0 || strbuf_error(&text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    if (s->form == FORM_NONE)
        return output_print(&text, err);
    const struct answer answer = { .header = strbuf_span(&header),
                                   .row = strbuf_span(&text) };
    return answer_write(s, &answer);
}

static int ids_write(struct summarizing *s, struct err *err)
{
    int rc = 0;
    for (size_t i = 0; i < s->id_count && rc == 0; i++) {
        rc = stored_write(s, s->ids[i], err);
        if (rc != -ENOENT)
            continue;
        fprintf(stderr, "baro: %s\n", err->text);
        *err = (struct err){ 0 };
        s->lost++;
        rc = 0;
    }
    return rc;
}

/* All that was made is in the database then. */
static int server_end(struct summarizing *s, struct err *err)
{
    int rc = job_server_flush(s->server, err);
    const struct job_server_counts *told = job_server_counts(s->server);
    fprintf(stderr, "baro: %llu new, %llu changed, %llu known, %llu refused\n",
            (unsigned long long)told->taken, (unsigned long long)told->changed,
            (unsigned long long)told->known, (unsigned long long)told->refused);
    s->lost += told->refused;
    return rc;
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
    int rc = ids_write(s, err);
    (void)fflush(stdout);
    if (rc == 0)
        rc = pool_run(&opts, err);
    if (s->server) {
        struct err why = { 0 };
        int ended = server_end(s, &why);
        if (rc == 0 && ended < 0)
            rc = err_set(err, -ended, "%s", why.text);
    }
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

static int server_open(struct summarizing *s, struct err *err)
{
    const struct series_opts *way = &s->args->made.way;
    const struct client_endpoint endpoint = { .server = way->server,
                                              .token_file = way->token_file,
                                              .ca_file = way->ca_file };
    s->server_ns = clock_monotonic_ns();
    return job_server_open(&endpoint, &s->server, err);
}

/* Logs and directories from ids, each kind in its order. */
static int operands_sort(struct summarizing *s, int count, char **operands,
                         size_t *ret_unread, struct err *err)
{
    AUTO_FREE char **paths = calloc((size_t)count + 1, sizeof *paths);
    size_t path_count = 0;
    s->ids = calloc((size_t)count + 1, sizeof *s->ids);
    if (!paths || !s->ids)
        return err_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < count; i++)
        if (job_operand_is_log(operands[i]))
            paths[path_count++] = operands[i];
        else
            s->ids[s->id_count++] = operands[i];
    return log_list_make(paths, path_count, &s->logs, ret_unread, err);
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
        rc = operands_sort(s, operand_count, operands, ret_unread, err);
    if (rc == 0 && args->made.way.server && s->logs.count > 0)
        rc = server_open(s, err);
    return rc == 0 ? logs_choose(s, err) : rc;
}

/* What goes together; says what does not. */
static bool args_check(const struct args *args, int operand_count, enum form *ret)
{
    const char *form = args->output            ? args->output
                       : args->resume          ? "csv"
                       : args->made.way.server ? "none"
                                               : "table";
    if (operand_count == 0 || form_parse(form, ret) < 0 ||
        (args->resume && *ret != FORM_CSV)) {
        fprintf(stderr, "baro: job summarize wants at least one LOG, and as --output "
                        "csv, json, table, xlsx or none; with --resume csv\n");
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
    struct args *args = args_arg;
    struct summarizing s = { .args = args,
                             .table = { .fd = -1 },
                             .header_task = SIZE_MAX };
    struct err err = { 0 };
    size_t unread = 0;
    args->made.way.log = warning_print;
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
    job_server_close(s.server);
    free(s.ids);
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
    SERIES_OPTIONS(struct args, made.way),
    { "site", 0, OPTION_TEXT, offsetof(struct args, made.site), "FILE",
      "What the site's file systems are called, where they are mounted, and their "
      "peaks." },
    { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORMAT",
      "table (default), csv, json, xlsx, or none (default with --server)." },
    { "into", 'i', OPTION_TEXT, offsetof(struct args, into), "FILE.xlsx",
      "The workbook to write; with --output xlsx." },
    { "server", 0, OPTION_TEXT, offsetof(struct args, made.way.server), "URL",
      "Put each row into this barod's database, too, and pass over logs that have one "
      "there; and what 'barod' means as --series and --jobs." },
    { "again", 0, OPTION_FLAG, offsetof(struct args, again), NULL,
      "With --server or --resume do not pass over any log." },
    { "resume", 'r', OPTION_TEXT, offsetof(struct args, resume), "FILE",
      "Put rows at the end of this CSV file, and pass over logs that have one." },
    { "workers", 'w', OPTION_LIMIT, offsetof(struct args, workers), "N",
      "Processes that read logs; default: one a processor." },
    { "log-time-max", 0, OPTION_DURATION, offsetof(struct args, log_time_max_ns),
      "DURATION", "Give up a log that takes longer; default: 5m." },
};

const struct command cmd_job_summarize = {
    .name = "job summarize",
    .operands = "LOG|DIRECTORY|JOBID...",
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
        "at which a worker crashes or hangs, is named, and costs its own row only.\nOf "
        "an id the row is shown that barod has.",
};
