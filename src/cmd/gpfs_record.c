/* SPDX-License-Identifier: Apache-2.0 */
/* gpfs_record - baro gpfs record: what a cluster of GPFS does, kept step by step.
 *
 *     timer ──▶ mmpmon -p in a process of its own ──▶ sums ──▶ DIR/gpfs-DATE.csv
 *
 * A round that takes longer than a step is waited for; the steps it covers are not
 * known, and no second mmpmon is started beside it.
 */
#include "agent/agent.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/timetext.h"
#include "cmd/commands.h"
#include "source/gpfs/gpfs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>

#define STEP_NS (5 * NS_PER_S)
#define ANSWER_BYTES_MAX ((size_t)64 << 20)
#define REQUEST_FILE ".mmpmon-requests"

struct args {
    const char *dir;
    const char *cluster;
    const char *side;
    const char *command;
    struct option_list nodes;
    int64_t step_ns;
    uint64_t rounds;
};

struct recording {
    const struct args *args;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_signal_t signals[2];
    struct io_sums sums;
    struct strbuf answer;
    char *requests; /* path */
    int64_t step_ns;
    int64_t step_s; /* when the step began that the round will tell of */
    uint64_t rounds_done;
    uint64_t rounds_lost; /* in a row */
    bool is_asking;
    int status;
};

static void complain(struct recording *r, const char *what)
{
    if (r->rounds_lost++ == 0)
        fprintf(stderr, "baro gpfs record: %s; steps are lost until it answers\n",
                what);
    r->status = EXIT_FAILED;
}

/* ---- what is kept ---- */

static void rows_print(const struct recording *r, struct strbuf *out)
{
    for (size_t i = 0; i < r->sums.count; i++) {
        const struct io_sum *sum = &r->sums.sums[i];
        if (sum->nodes == 0)
            continue; /* nothing is known of it */
        strbuf_addf(out, "%" PRId64 ",%" PRId64 ",%s,%s,%s,%s,%" PRIu64 ",%" PRIu64,
                    r->step_s, r->step_ns / NS_PER_S, r->args->cluster, r->args->side,
                    sum->cluster, sum->fs, sum->nodes, sum->unknown);
        for (unsigned c = 0; c < _GPFS_COUNT_COUNT; c++)
            strbuf_addf(out, ",%" PRIu64, sum->counts[c]);
        strbuf_addc(out, '\n');
    }
}

static void header_print(struct strbuf *out)
{
    strbuf_adds(out, "time,step_s,cluster,side,owner,fs,nodes,unknown_nodes");
    for (unsigned c = 0; c < _GPFS_COUNT_COUNT; c++)
        strbuf_addf(out, ",%s", gpfs_count_name(c));
    strbuf_addc(out, '\n');
}

/* One write a round: a file never ends within a row but by a full disk. */
static int rows_keep(struct recording *r)
{
    AUTO(strbuf_done) struct strbuf rows = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    char day[TIMETEXT_SIZE];
    timetext_print(day, r->step_s * NS_PER_S);
    strbuf_addf(&path, "%s/gpfs-%.10s.csv", r->args->dir, day);
    AUTO_CLOSE int fd =
        open(strbuf_text(&path), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    if (lseek(fd, 0, SEEK_END) == 0)
        header_print(&rows);
    rows_print(r, &rows);
    if (strbuf_error(&rows) < 0 || strbuf_error(&path) < 0)
        return -ENOMEM;
    return file_write_all(fd, strbuf_text(&rows), rows.size);
}

/* ---- a round ---- */

static int on_io(void *arg, const struct gpfs_io *io)
{
    struct recording *r = arg;
    int rc = io_sums_add(&r->sums, io);
    if (rc == -EFBIG)
        complain(r, "there are more nodes or file systems than are taken in");
    return rc == -EFBIG ? 0 : rc;
}

static void on_fault(void *arg, uint64_t line, struct span text, const char *reason)
{
    (void)text;
    (void)arg;
    fprintf(stderr, "baro gpfs record: line %" PRIu64 " of mmpmon: %s\n", line, reason);
}

static int on_data(void *arg, struct span piece)
{
    struct recording *r = arg;
    if (r->answer.size + piece.size > ANSWER_BYTES_MAX)
        return -EMSGSIZE;
    strbuf_add_span(&r->answer, piece);
    return strbuf_error(&r->answer);
}

static void round_take(struct recording *r, const struct agent_child_result *result)
{
    const struct mmpmon_opts opts = { on_io, on_fault, r };
    if (result->error < 0 || result->status != 0) {
        complain(r, result->error == -ETIMEDOUT ? "mmpmon does not answer"
                                                : "mmpmon fails");
        return;
    }
    io_sums_begin(&r->sums);
    if (mmpmon_read(strbuf_span(&r->answer), &opts) < 0)
        complain(r, "memory is out");
    io_sums_end(&r->sums);
    int rc = rows_keep(r);
    if (rc < 0)
        complain(r, strerror(-rc));
    else if (r->rounds_lost > 0) {
        fprintf(stderr, "baro gpfs record: %" PRIu64 " steps were lost\n",
                r->rounds_lost);
        r->rounds_lost = 0;
    }
}

static void on_done(void *arg, const struct agent_child_result *result)
{
    struct recording *r = arg;
    round_take(r, result);
    r->rounds_done++;
}

static void recording_end(struct recording *r)
{
    uv_close((uv_handle_t *)&r->timer, NULL);
    for (size_t i = 0; i < COUNT_OF(r->signals); i++)
        uv_close((uv_handle_t *)&r->signals[i], NULL);
}

static void on_gone(void *arg)
{
    struct recording *r = arg;
    r->is_asking = false;
    if (r->args->rounds > 0 && r->rounds_done >= r->args->rounds)
        recording_end(r);
}

static void on_timer(uv_timer_t *timer)
{
    struct recording *r = timer->data;
    const struct agent_child_events events = { on_data, on_done, on_gone, r };
    const char *command = r->args->command ? r->args->command : "mmpmon";
    char *argv[] = { (char *)(uintptr_t)command, (char *)(uintptr_t) "-p",
                     (char *)(uintptr_t) "-i", r->requests, NULL };
    int64_t now_ns = clock_now_ns();
    if (r->is_asking) {
        /* What the late answer tells is of more than a step. */
        complain(r, "mmpmon is slower than a step");
        io_sums_begin(&r->sums);
        io_sums_end(&r->sums);
        return;
    }
    r->step_s = (now_ns - now_ns % r->step_ns) / NS_PER_S - r->step_ns / NS_PER_S;
    strbuf_clear(&r->answer);
    r->is_asking = true;
    if (agent_child_start(&r->loop, argv, r->step_ns, &events) < 0) {
        r->is_asking = false;
        complain(r, "mmpmon cannot be started");
        if (r->args->rounds > 0 && ++r->rounds_done >= r->args->rounds)
            recording_end(r);
    }
}

static void on_signal(uv_signal_t *signal, int number)
{
    (void)number;
    uv_stop(signal->loop);
}

/* ---- beginning and end ---- */

static int requests_write(struct recording *r, struct err *err)
{
    AUTO(strbuf_done) struct strbuf path = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_addf(&path, "%s/" REQUEST_FILE, r->args->dir);
    if (r->args->nodes.count > 0) {
        strbuf_adds(&text, "nlist new");
        for (size_t i = 0; i < r->args->nodes.count; i++)
            strbuf_addf(&text, " %s", r->args->nodes.items[i]);
        strbuf_addc(&text, '\n');
    }
    strbuf_adds(&text, "fs_io_s\n");
    r->requests = span_dup(strbuf_span(&path));
    if (!r->requests || strbuf_error(&text) < 0)
        return err_set(err, ENOMEM, "out of memory");
    return file_replace(r->requests, strbuf_text(&text), text.size, 0644, err);
}

static int run(struct recording *r, struct err *err)
{
    static const int numbers[] = { SIGTERM, SIGINT };
    int64_t now_ns = clock_now_ns();
    uint64_t first_ms = (uint64_t)((r->step_ns - now_ns % r->step_ns) / NS_PER_MS) + 1;
    int rc = requests_write(r, err);
    if (rc < 0)
        return rc;
    (void)uv_timer_init(&r->loop, &r->timer);
    r->timer.data = r;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        (void)uv_signal_init(&r->loop, &r->signals[i]);
        (void)uv_signal_start(&r->signals[i], on_signal, numbers[i]);
    }
    (void)uv_timer_start(&r->timer, on_timer, first_ms,
                         (uint64_t)(r->step_ns / NS_PER_MS));
    (void)uv_run(&r->loop, UV_RUN_DEFAULT);
    return 0;
}

static bool is_plain(const char *name)
{
    return name && *name && !strpbrk(name, ",\"\r\n");
}

static int run_command(void *args_arg, int operand_count, char **operands)
{
    struct args *args = args_arg;
    struct recording r = { .args = args, .status = EXIT_OK };
    struct err err = { 0 };
    (void)operands;
    args->side = args->side ? args->side : "client";
    r.step_ns = args->step_ns ? args->step_ns : STEP_NS;
    bool is_side =
        strcmp(args->side, "client") == 0 || strcmp(args->side, "server") == 0;
    if (operand_count > 0 || !args->dir || !is_plain(args->cluster) || !is_side ||
        r.step_ns < NS_PER_S || r.step_ns % NS_PER_S != 0) {
        fprintf(stderr,
                "baro gpfs record: wants --dir and --cluster, as --side client or "
                "server, and --step in whole seconds\n");
        return EXIT_USAGE;
    }
    if (uv_loop_init(&r.loop) < 0)
        return EXIT_FAILED;
    io_sums_init(&r.sums);
    int rc = run(&r, &err);
    if (rc < 0)
        fprintf(stderr, "baro gpfs record: %s\n", err.text);
    /* Busy where an mmpmon hangs: it is left to itself. */
    (void)uv_run(&r.loop, UV_RUN_NOWAIT);
    (void)uv_loop_close(&r.loop);
    io_sums_done(&r.sums);
    strbuf_done(&r.answer);
    free(r.requests);
    return rc < 0 ? EXIT_FAILED : r.status;
}

static const struct option options[] = {
    { "dir", 'd', OPTION_TEXT, offsetof(struct args, dir), "DIR",
      "Where rows are kept: a file a day, gpfs-DATE.csv." },
    { "cluster", 'c', OPTION_TEXT, offsetof(struct args, cluster), "NAME",
      "What the cluster is called whose nodes are asked." },
    { "side", 's', OPTION_TEXT, offsetof(struct args, side), "SIDE",
      "client (default) or server: what its nodes are." },
    { "node", 'n', OPTION_LIST, offsetof(struct args, nodes), "NODE",
      "Ask these nodes through mmpmon; may be repeated (default: this one)." },
    { "step", 'i', OPTION_DURATION, offsetof(struct args, step_ns), "DURATION",
      "How often; default: 5s." },
    { "rounds", 'r', OPTION_COUNT, offsetof(struct args, rounds), "N",
      "End after so many; default: never." },
    { "command", 0, OPTION_TEXT, offsetof(struct args, command), "PATH",
      "The mmpmon to run; default: the one on the path." },
};

const struct command cmd_gpfs_record = {
    .name = "gpfs record",
    .operands = "",
    .help = "Keep what a cluster of GPFS does, step by step, as mmpmon tells it.",
    .options = options,
    .option_count = COUNT_OF(options),
    .args_size = sizeof(struct args),
    .run = run_command,
};
