/* SPDX-License-Identifier: Apache-2.0 */
/* baro-abc - probes: the same I/O every night, the baseline of a file system. */
#include "cmd/abc_args.h"

#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "base/terminal/completion.h"
#include "base/terminal/terminal.h"
#include "probe/probe.h"

#include <signal.h>
#include <unistd.h>

enum { HOST_BYTES = 256, PROCESSES_DEFAULT = 2 };

static volatile sig_atomic_t signal_got;
static volatile int is_stopped;

static void on_signal(int number)
{
    signal_got = number;
    is_stopped = 1;
}

static int print_probes(void)
{
    for (size_t i = 0; i < shape_count; i++) {
        char size[32];
        figure_print_bytes(
            size, sizeof size,
            (double)shape_rank_bytes(shapes[i], SHAPE_WRITE, shapes[i]->items));
        printf("%-12s %-9s a process  %s\n", shapes[i]->name, size, shapes[i]->help);
    }
    printf("interfaces: %s\n", interface_names());
    return EXIT_OK;
}

static void print_text(void *arg, struct span text)
{
    (void)arg;
    (void)fwrite(text.data, 1, text.size, stdout);
    (void)fflush(stdout);
}

static void print_warning(void *arg, const char *text)
{
    (void)arg;
    fprintf(stderr, "baro-abc: %s\n", text);
}

/* MPI_Finalize is over: what ranks have of it is there, or never. */
static void log_of_ranks_check(const struct abc_args *args, bool is_leader)
{
    const char *log = getenv("DARSHAN_LOGFILE");
    if (args->use_mpi && is_leader && args->archive && darshan_log_is_expected() &&
        log && access(log, F_OK) < 0)
        fprintf(stderr, "baro-abc: libdarshan wrote no log, which records name: %s\n",
                log);
}

static int print_error(const struct err *err, int status)
{
    fprintf(stderr, "baro-abc: %s\n", err->text);
    return status;
}

static int run_campaign(const struct abc_args *args, struct workers *workers,
                        const struct shape *const *wanted, size_t count)
{
    int64_t begin_ns = clock_monotonic_ns();
    char host[HOST_BYTES] = "unknown";
    struct filesystem fs;
    struct plan plan = { 0 };
    const struct batch_job job = batch_job_read();
    struct campaign_opts opts = { .plan = &plan,
                                  .workers = workers,
                                  .dir = args->dir ? args->dir : ".",
                                  .archive = args->archive,
                                  .has_logs = darshan_log_is_expected(),
                                  .records_max = args->keep,
                                  .lock = args->lock,
                                  .lfs = args->lfs,
                                  .host = host,
                                  .job = &job,
                                  .pause_ns = args->pause_ns,
                                  .stop = &is_stopped,
                                  .print = print_text,
                                  .warn = print_warning };
    struct err err = { 0 };
    (void)gethostname(host, sizeof host - 1);
    int rc = abc_args_read(args, begin_ns, &fs, &plan, &opts, &err);
    int status = rc < 0 ? err_exit_status(rc) : EXIT_FAILED;
    if (rc == 0)
        rc = campaign_run(&opts, wanted, count, &err);
    if (!workers_is_leader(workers))
        return rc < 0 ? EXIT_FAILED : EXIT_OK;
    if (rc < 0)
        return print_error(&err, signal_got ? 128 + signal_got : status);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "%.6f core-hours\n",
                plan_core_hours(clock_monotonic_ns() - begin_ns, plan.processes));
    return EXIT_OK;
}

static int baro_abc_run(void *opts, int operand_count, char **operands)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
    const struct abc_args *args = opts;
    const struct workers_opts workers_opts = {
        .count = args->processes ? (unsigned)args->processes : PROCESSES_DEFAULT,
        .use_mpi = args->use_mpi,
        .stop = &is_stopped,
        .ends_whole = args->archive && darshan_log_is_expected(),
    };
    struct err err = { 0 };
    if (args->should_list)
        return print_probes();
    const struct shape *wanted[SHAPES_MAX];
    size_t count = 0;
    if (args->processes > WORKERS_MAX)
        (void)err_set(&err, EINVAL, "--processes: at most %d", WORKERS_MAX);
    if (err.text[0] || plan_choose(operand_count, operands, wanted, &count, &err) < 0)
        return print_error(&err, EXIT_USAGE);
    /* mpirun ends the ranks of MPI: they could not inform each other. */
    struct sigaction action = { .sa_handler = on_signal };
    for (size_t i = 0; i < COUNT_OF(signals) && !args->use_mpi; i++)
        (void)sigaction(signals[i], &action, NULL);
    struct workers *workers = NULL;
    if (workers_new(&workers_opts, &workers, &err) < 0)
        return print_error(&err, EXIT_FAILED);
    int status = run_campaign(args, workers, wanted, count);
    bool is_leader = workers_is_leader(workers);
    workers_free(workers);
    log_of_ranks_check(args, is_leader);
    return status;
}

int main(int argc, char **argv)
{
    const struct command command = {
        .name = "baro-abc",
        .operands = "[ior-shared|ior-fpp|hacc|vpic]...",
        .help = "Do the same I/O to a file system every night, and measure it.",
        .options = abc_options,
        .option_count = abc_option_count,
        .args_size = sizeof(struct abc_args),
        .run = baro_abc_run,
        .details = "Default: all. Each reads what another process wrote, and checks\n"
                   "every byte. Exit status 1 when one failed or read something else.",
    };
    if (completion_is_requested(argc, argv))
        return completion_print_command(&command, argc, argv);
    if (terminal_start("baro-abc") < 0)
        return EXIT_FAILED;
    return options_main(&command, argc, argv);
}
