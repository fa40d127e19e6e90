/* SPDX-License-Identifier: Apache-2.0 */
/* baro-abc - probes: the same I/O every night, the baseline of a file system. */
#include "base/clock.h"
#include "base/figure.h"
#include "base/number.h"
#include "base/options.h"
#include "base/span.h"
#include "base/terminal/terminal.h"
#include "probe/probe.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { HOST_BYTES = 256, PROCESSES_DEFAULT = 2 };

struct args {
    const char *interface, *dir, *archive, *site, *file_system, *lfs, *output;
    uint64_t processes, size_bytes, keep;
    int64_t pause_ns;
    const char *core_hours;
    bool use_mpi, should_list;
};

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

/* Errors: -EINVAL. */
static int read_args(const struct args *args, int64_t begin_ns, struct filesystem *fs,
                     struct plan *plan, struct campaign_opts *opts, struct err *err)
{
    double hours = 0.0;
    opts->interface = interface_find(args->interface ? args->interface : "posix");
    if (!opts->interface)
        return err_set(err, EINVAL, "--interface %s: this baro-abc has %s",
                       args->interface, interface_names());
    int rc = campaign_form_parse(args->output, &opts->form, err);
    if (rc < 0)
        return rc;
    if (args->core_hours &&
        (number_parse_double(span_of(args->core_hours), &hours) < 0 || hours <= 0.0))
        return err_set(err, EINVAL, "--core-hours %s: it is not a number above 0",
                       args->core_hours);
    rc = filesystem_read(args->site, args->file_system, opts->dir, fs, err);
    if (rc < 0)
        return rc;
    plan->processes = workers_count(opts->workers);
    plan->size_bytes = args->size_bytes;
    plan->peak_bytes_per_s = fs->peak_bytes_per_s;
    plan->measure_ns = fs->measure_ns;
    plan->file_system = fs->name;
    plan->deadline_ns = plan_deadline_ns(begin_ns, hours > 0.0 ? hours : fs->core_hours,
                                         plan->processes);
    return 0;
}

static int print_error(const struct err *err, int status)
{
    fprintf(stderr, "baro-abc: %s\n", err->text);
    return status;
}

static int run_campaign(const struct args *args, struct workers *workers,
                        const struct shape *const *wanted, size_t count)
{
    int64_t begin_ns = clock_monotonic_ns();
    char host[HOST_BYTES] = "unknown";
    struct filesystem fs;
    struct plan plan = { 0 };
    struct campaign_opts opts = { .plan = &plan,
                                  .workers = workers,
                                  .dir = args->dir ? args->dir : ".",
                                  .archive = args->archive,
                                  .records_max = args->keep,
                                  .lfs = args->lfs,
                                  .host = host,
                                  .pause_ns = args->pause_ns,
                                  .stop = &is_stopped,
                                  .print = print_text };
    struct err err = { 0 };
    (void)gethostname(host, sizeof host - 1);
    int rc = read_args(args, begin_ns, &fs, &plan, &opts, &err);
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
    const struct args *args = opts;
    const struct workers_opts workers_opts = {
        .count = args->processes ? (unsigned)args->processes : PROCESSES_DEFAULT,
        .use_mpi = args->use_mpi,
        .stop = &is_stopped,
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
    workers_free(workers);
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "list", 'l', OPTION_FLAG, offsetof(struct args, should_list), NULL,
          "Print the probes and interfaces of this build." },
        { "dir", 'd', OPTION_TEXT, offsetof(struct args, dir), "DIR",
          "Where files are made, on the file system to be measured; default: here." },
        { "processes", 'n', OPTION_COUNT, offsetof(struct args, processes), "COUNT",
          "Processes on this host; default: 2." },
        { "mpi", 0, OPTION_FLAG, offsetof(struct args, use_mpi), NULL,
          "The processes are those that mpirun or srun started." },
        { "interface", 'i', OPTION_TEXT, offsetof(struct args, interface), "INTERFACE",
          "The I/O interface: posix (default), mpiio or hdf5, as built." },
        { "size", 's', OPTION_SIZE, offsetof(struct args, size_bytes), "SIZE",
          "The bytes of each probe; default: as the site file or the probe has them." },
        { "pause", 0, OPTION_DURATION, offsetof(struct args, pause_ns), "DURATION",
          "The pause between writing and reading, for caches to empty; default: 0s." },
        { "core-hours", 0, OPTION_TEXT, offsetof(struct args, core_hours), "HOURS",
          "The limit of this call; probes that cannot end in time are not begun." },
        { "site", 0, OPTION_TEXT, offsetof(struct args, site), "FILE",
          "The site file: file systems and their peak rates." },
        { "file-system", 'f', OPTION_TEXT, offsetof(struct args, file_system), "NAME",
          "Its name in the site file and in records; default: by the path of DIR." },
        { "lfs", 0, OPTION_TEXT, offsetof(struct args, lfs), "PROGRAM",
          "Stripe over all targets with it; default: lfs, where DIR is on Lustre." },
        { "archive", 'a', OPTION_TEXT, offsetof(struct args, archive), "DIR",
          "Store records there: YYYY/MM/DD/ID.json, and rows in runs.csv." },
        { "archive-max", 'k', OPTION_COUNT, offsetof(struct args, keep), "COUNT",
          "At most so many records; default: all." },
        { "output", 'o', OPTION_TEXT, offsetof(struct args, output), "FORM",
          "table (default), json or csv." },
    };
    static const struct command command = {
        .name = "baro-abc",
        .operands = "[PROBE]...",
        .help = "Do the same I/O to a file system every night, and measure it.",
        .options = options,
        .option_count = COUNT_OF(options),
        .args_size = sizeof(struct args),
        .run = baro_abc_run,
        .details =
            "PROBE: ior-shared, ior-fpp, hacc, vpic; default: all, one after another.\n"
            "Each writes, and reads back what another process wrote; every byte is\n"
            "checked. Exit status 1 when one failed or read back something else.",
    };
    if (terminal_start("baro-abc") < 0)
        return EXIT_FAILED;
    return options_main(&command, argc, argv);
}
