/* SPDX-License-Identifier: Apache-2.0 */
/* baro-abc - probes: the same I/O every night, so that what is normal is known. */
#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/options.h"
#include "base/terminal.h"
#include "base/timetext.h"
#include "cmd/abc_site.h"
#include "cmd/abc_stripes.h"
#include "probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#define ID_BYTES 64
#define HOST_BYTES 256
#define NS_PER_HOUR (INT64_C(3600) * NS_PER_S)
#define ABC_PROCESSES_DEFAULT 2

struct args {
    const char *way, *dir, *archive, *site, *file_system, *lfs, *output;
    uint64_t processes, size_bytes, keep;
    int64_t pause_ns;
    const char *core_hours;
    bool use_mpi, should_list;
};

/* What is the same for all probes of one call. */
struct abc {
    const struct args *args;
    struct crew *crew;
    const struct way *way;
    struct abc_site site;
    char host[HOST_BYTES];
    char dir[RUN_PATH_MAX]; /* made for this call, below args->dir */
    char stripes[ABC_STRIPES_BYTES];
    int64_t began_ns;    /* monotonic */
    int64_t deadline_ns; /* 0: none */
    struct strbuf out;
};

static volatile sig_atomic_t signal_got;
static volatile int is_stopped;

static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

static void on_signal(int number)
{
    signal_got = number;
    is_stopped = 1;
}

static void list_probes(void)
{
    for (size_t i = 0; i < shape_count; i++) {
        char size[32];
        number_print_bytes(
            size, sizeof size,
            (double)shape_rank_bytes(shapes[i], SHAPE_WRITE, shapes[i]->items));
        printf("%-12s %-9s a process  %s\n", shapes[i]->name, size, shapes[i]->help);
    }
    printf("ways: %s\n", way_names());
}

/* ---- before ---- */

static double core_hours(const struct abc *abc)
{
    return (double)(clock_monotonic_ns() - abc->began_ns) * crew_count(abc->crew) /
           (double)NS_PER_HOUR;
}

/* How much one probe writes in all: what was asked; else as long as the site file wants
 * to measure at the peak; else the shape's own size. */
static uint64_t total_bytes(const struct abc *abc, const struct shape *shape)
{
    unsigned count = crew_count(abc->crew);
    if (abc->args->size_bytes)
        return abc->args->size_bytes;
    if (abc->site.peak_bytes_per_s > 0.0)
        return (uint64_t)(abc->site.peak_bytes_per_s *
                          ((double)abc->site.measure_ns / (double)NS_PER_S));
    return shape_rank_bytes(shape, SHAPE_WRITE, shape->items) * count;
}

/* Even at its peak the file system would take longer than what is left. */
static int check_can_end(const struct abc *abc, const struct shape *shape,
                         uint64_t items, struct err *err)
{
    if (!abc->deadline_ns || abc->site.peak_bytes_per_s <= 0.0)
        return 0;
    double bytes = (double)(shape_rank_bytes(shape, SHAPE_WRITE, items) +
                            shape_rank_bytes(shape, SHAPE_READ, items)) *
                   crew_count(abc->crew);
    double left_s =
        (double)(abc->deadline_ns - clock_monotonic_ns()) / (double)NS_PER_S;
    if (bytes / abc->site.peak_bytes_per_s <= left_s)
        return 0;
    return err_set(
        err, ETIME,
        "%s is not begun: at the peak of '%s' it takes %.1f s, and %.1f s of "
        "the core-hours are left; lower --size or raise --core-hours",
        shape->name, abc->site.name, bytes / abc->site.peak_bytes_per_s,
        left_s > 0.0 ? left_s : 0.0);
}

/* "20261121T010203Z-1234-hacc": sorts by time, and two probes have two. */
static void make_id(char id[static ID_BYTES], int64_t t_ns, const struct shape *shape)
{
    char text[TIMETEXT_SIZE];
    (void)timetext_print(text, t_ns / NS_PER_S * NS_PER_S);
    size_t n = 0;
    for (const char *p = text; *p && n < 20; p++)
        if (*p != '-' && *p != ':')
            id[n++] = *p;
    (void)snprintf(id + n, ID_BYTES - n, "-%ld-%s", (long)getpid(), shape->name);
}

/* ---- one probe ---- */

static void say_phase(const struct run_opts *opts, const struct run_phase *p,
                      struct strbuf *out)
{
    char size[32], speed[32];
    number_print_bytes(size, sizeof size, (double)p->bytes);
    number_print_bytes(speed, sizeof speed,
                       p->slowest_ns > 0
                           ? (double)p->bytes * (double)NS_PER_S / (double)p->slowest_ns
                           : 0.0);
    strbuf_addf(out, "%-24s %-7s %4u processes %10s %12s/s  %.3f s%s\n",
                p->phase == SHAPE_WRITE ? opts->shape->write_name
                                        : opts->shape->read_name,
                opts->way->name, p->count, size, speed,
                (double)p->wall_ns / (double)NS_PER_S, p->is_done ? "" : "  FAILED");
}

static int keep(const struct abc *abc, const struct record_about *about, int64_t t_ns,
                const struct run_opts *opts, const struct run_result *result,
                struct strbuf *json, struct err *err)
{
    AUTO(strbuf_done) struct strbuf csv = STRBUF_INIT;
    record_json(about, opts, result, json);
    record_csv(about, opts, result, &csv);
    if (strbuf_error(json) || strbuf_error(&csv))
        return err_set(err, ENOMEM, "out of memory");
    if (!abc->args->archive)
        return 0;
    return record_keep(abc->args->archive, about->id, t_ns, strbuf_span(json),
                       strbuf_span(&csv), abc->args->keep, err);
}

static int run_one(struct abc *abc, const struct shape *shape, struct err *err)
{
    int64_t t_ns = clock_now_ns(), began_ns = clock_monotonic_ns();
    struct run_opts opts = { .shape = shape,
                             .way = abc->way,
                             .dir = abc->dir,
                             .items = shape_items(shape, crew_count(abc->crew),
                                                  total_bytes(abc, shape)),
                             .deadline_ns = abc->deadline_ns,
                             .pause_ns = abc->args->pause_ns,
                             .stop = &is_stopped };
    int rc = check_can_end(abc, shape, opts.items, err);
    crew_share(abc->crew, &rc, sizeof rc);
    if (rc < 0)
        return rc;
    if (getrandom(&opts.key, sizeof opts.key, 0) != sizeof opts.key)
        opts.key = (uint64_t)t_ns;
    crew_share(abc->crew, &opts.key, sizeof opts.key);
    struct run_result result = { 0 };
    rc = run_probe(&opts, abc->crew, &result, err);
    if (crew_is_leader(abc->crew)) {
        char id[ID_BYTES];
        make_id(id, t_ns, shape);
        struct record_about about = {
            .id = id,
            .host = abc->host,
            .file_system = abc->site.name,
            .stripes = abc->stripes[0] ? abc->stripes : NULL,
            .core_hours = (double)(clock_monotonic_ns() - began_ns) *
                          crew_count(abc->crew) / (double)NS_PER_HOUR,
            .failure = rc < 0 ? err->text : NULL,
        };
        AUTO(strbuf_done) struct strbuf json = STRBUF_INIT;
        struct err keeping = { 0 };
        int kept = keep(abc, &about, t_ns, &opts, &result, &json, &keeping);
        if (strcmp(abc->args->output, "json") == 0)
            strbuf_add_span(&abc->out, strbuf_span(&json));
        else if (strcmp(abc->args->output, "csv") == 0)
            record_csv(&about, &opts, &result, &abc->out);
        else
            for (int i = SHAPE_WRITE; i <= SHAPE_READ; i++)
                if (result.phases[i].ranks)
                    say_phase(&opts, &result.phases[i], &abc->out);
        if (kept < 0 && rc == 0)
            rc = err_set(err, -kept, "%s", keeping.text);
    }
    run_result_done(&result);
    crew_share(abc->crew, &rc, sizeof rc);
    return rc;
}

/* ---- around them ---- */

/* A directory of this call's own, so that nothing of anybody's is written over. */
static int make_place(struct abc *abc, struct err *err)
{
    const struct args *args = abc->args;
    if (snprintf(abc->dir, sizeof abc->dir, "%s/baro-abc.XXXXXX", args->dir) >=
        (int)sizeof abc->dir)
        return err_set(err, ENAMETOOLONG, "'%s': the path is too long", args->dir);
    if (!mkdtemp(abc->dir)) {
        int errnum = errno;
        abc->dir[0] = '\0';
        return err_set(err, errnum, "make a directory in '%s': %s", args->dir,
                       strerror(errnum));
    }
    return abc_stripes_set(args->lfs, abc->dir, abc->stripes, err);
}

/* One instance at a time: two would measure each other. */
static int lock_out_others(const struct args *args, int *ret_fd, struct err *err)
{
    char path[RUN_PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/.baro-abc.lock",
                   args->archive ? args->archive : args->dir);
    if (args->archive) {
        int rc = file_make_dirs(args->archive, 0755, err);
        if (rc < 0)
            return rc;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_set(err, errno, "open '%s': %s", path, strerror(errno));
    int rc = file_lock(fd);
    if (rc < 0) {
        (void)close(fd);
        return err_set(err, -rc,
                       "another baro-abc runs ('%s' is locked): two would measure "
                       "each other",
                       path);
    }
    *ret_fd = fd;
    return 0;
}

static int run_all(struct abc *abc, const struct shape *const *wanted, size_t count,
                   struct err *err)
{
    int first = 0;
    for (size_t i = 0; i < count; i++) {
        struct err own = { 0 };
        int rc = run_one(abc, wanted[i], &own);
        if (crew_is_leader(abc->crew)) {
            (void)fwrite(strbuf_text(&abc->out), 1, abc->out.size, stdout);
            (void)fflush(stdout);
            strbuf_clear(&abc->out);
        }
        if (rc < 0 && first == 0) {
            first = rc;
            (void)err_set(err, -rc, "%s", own.text);
        }
        if (rc == -ECANCELED || rc == -ETIME) /* the others could not end either */
            break;
    }
    return first;
}

static int with_place(struct abc *abc, const struct shape *const *wanted, size_t count,
                      struct err *err)
{
    AUTO_CLOSE int lock_fd = -1;
    int rc = 0;
    if (crew_is_leader(abc->crew)) {
        rc = lock_out_others(abc->args, &lock_fd, err);
        if (rc == 0)
            rc = make_place(abc, err);
        if (abc->args->output[0] == 'c' && rc == 0)
            record_csv_header(&abc->out);
    }
    crew_share(abc->crew, &rc, sizeof rc);
    crew_share(abc->crew, abc->dir, sizeof abc->dir);
    if (rc == 0)
        rc = run_all(abc, wanted, count, err);
    if (crew_is_leader(abc->crew) && abc->dir[0])
        (void)rmdir(abc->dir);
    return rc;
}

static int start(struct abc *abc, struct err *err)
{
    const struct args *args = abc->args;
    abc->way = way_find(args->way);
    if (!abc->way)
        return err_set(err, EINVAL, "--way %s: this baro-abc has %s", args->way,
                       way_names());
    if (strcmp(args->output, "table") != 0 && strcmp(args->output, "json") != 0 &&
        strcmp(args->output, "csv") != 0)
        return err_set(err, EINVAL, "--output %s: it is table, json or csv",
                       args->output);
    double hours = 0.0;
    if (args->core_hours &&
        (number_parse_double(span_of(args->core_hours), &hours) < 0 || hours <= 0.0))
        return err_set(err, EINVAL, "--core-hours %s: a number above 0 is wanted",
                       args->core_hours);
    int rc = abc_site_read(args->site, args->file_system, args->dir, &abc->site, err);
    if (rc < 0)
        return rc;
    if (hours == 0.0)
        hours = abc->site.core_hours;
    if (gethostname(abc->host, sizeof abc->host - 1) < 0)
        (void)snprintf(abc->host, sizeof abc->host, "unknown");
    if (hours > 0.0)
        abc->deadline_ns = abc->began_ns + (int64_t)(hours * (double)NS_PER_HOUR /
                                                     (double)crew_count(abc->crew));
    return 0;
}

static int choose(int operand_count, char **operands, const struct shape **wanted,
                  size_t *ret_count, struct err *err)
{
    *ret_count = 0;
    if (operand_count == 0)
        for (size_t i = 0; i < shape_count; i++)
            wanted[(*ret_count)++] = shapes[i];
    for (int i = 0; i < operand_count; i++) {
        const struct shape *shape = shape_find(operands[i]);
        if (!shape)
            return err_set(err, EINVAL, "there is no probe '%s': see --list",
                           operands[i]);
        if (*ret_count == shape_count)
            return err_set(err, EINVAL, "at most %zu probes at once", shape_count);
        wanted[(*ret_count)++] = shape;
    }
    return 0;
}

static int fail(const struct err *err, int status)
{
    fprintf(stderr, "baro-abc: %s\n", err->text);
    return status;
}

static int run(void *opts, int operand_count, char **operands)
{
    struct args *args = opts;
    struct err err = { 0 };
    if (args->should_list) {
        list_probes();
        return EXIT_OK;
    }
    args->way = args->way ? args->way : "posix";
    args->dir = args->dir ? args->dir : ".";
    args->output = args->output ? args->output : "table";
    args->processes = args->processes ? args->processes : ABC_PROCESSES_DEFAULT;
    const struct shape **wanted = calloc(shape_count, sizeof(*wanted));
    AUTO_FREE void *owned = (void *)wanted;
    size_t count = 0;
    if (!wanted)
        return EXIT_FAILED;
    if (choose(operand_count, operands, wanted, &count, &err) < 0)
        return fail(&err, EXIT_USAGE);
    if (args->processes > CREW_MAX) {
        (void)err_set(&err, EINVAL, "--processes: at most %d", CREW_MAX);
        return fail(&err, EXIT_USAGE);
    }
    /* Ranks of MPI are ended by whoever started them: they could not tell each other.
     */
    struct sigaction action = { .sa_handler = on_signal };
    for (size_t i = 0; i < COUNT_OF(signals) && !args->use_mpi; i++)
        (void)sigaction(signals[i], &action, NULL);
    struct abc abc = { .args = args, .began_ns = clock_monotonic_ns() };
    struct crew_opts crew = { .count = (unsigned)args->processes,
                              .use_mpi = args->use_mpi,
                              .stop = &is_stopped };
    int rc = crew_new(&crew, &abc.crew, &err);
    if (rc < 0)
        return fail(&err, EXIT_FAILED);
    rc = start(&abc, &err);
    int status = rc == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
    if (rc == 0)
        rc = with_place(&abc, wanted, count, &err);
    bool is_leader = crew_is_leader(abc.crew);
    double used = core_hours(&abc);
    strbuf_done(&abc.out);
    crew_free(abc.crew);
    if (rc < 0)
        return is_leader ? fail(&err, signal_got ? 128 + signal_got : status)
                         : EXIT_FAILED;
    if (is_leader && isatty(STDERR_FILENO))
        fprintf(stderr, "%.6f core-hours\n", used);
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "list", 'l', OPTION_FLAG, offsetof(struct args, should_list), NULL,
          "Print the probes and ways of this build." },
        { "dir", 'd', OPTION_TEXT, offsetof(struct args, dir), "DIR",
          "Where files are made, on the file system to be measured; default: here." },
        { "processes", 'n', OPTION_COUNT, offsetof(struct args, processes), "COUNT",
          "Processes on this host; default: 2." },
        { "mpi", 0, OPTION_FLAG, offsetof(struct args, use_mpi), NULL,
          "The processes are those that mpirun or srun started." },
        { "way", 'w', OPTION_TEXT, offsetof(struct args, way), "WAY",
          "How bytes go: posix (default), mpiio or hdf5, as built." },
        { "size", 's', OPTION_SIZE, offsetof(struct args, size_bytes), "SIZE",
          "What each probe writes in all; default: as the site file says, or the "
          "probe's own." },
        { "pause", 0, OPTION_DURATION, offsetof(struct args, pause_ns), "DURATION",
          "Wait so long between writing and reading: caches empty; default: 0s." },
        { "core-hours", 0, OPTION_TEXT, offsetof(struct args, core_hours), "HOURS",
          "The most that this call may use; what cannot end is not begun." },
        { "site", 0, OPTION_TEXT, offsetof(struct args, site), "FILE",
          "What file systems there are and what they can do." },
        { "file-system", 'f', OPTION_TEXT, offsetof(struct args, file_system), "NAME",
          "Its name in the site file and in records; default: the one whose path DIR "
          "is below." },
        { "lfs", 0, OPTION_TEXT, offsetof(struct args, lfs), "PROGRAM",
          "Stripe over all targets with it; default: lfs, where DIR is on Lustre." },
        { "archive", 'a', OPTION_TEXT, offsetof(struct args, archive), "DIR",
          "Keep records there: YYYY/MM/DD/ID.json, and rows in runs.csv." },
        { "keep", 'k', OPTION_COUNT, offsetof(struct args, keep), "COUNT",
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
        .run = run,
        .details =
            "PROBE: ior-shared, ior-fpp, hacc, vpic; default: all, one after another.\n"
            "Each writes, and reads back what another process wrote; every byte is\n"
            "checked. Exit status 1 when one failed or read back something else.",
    };
    if (terminal_start("baro-abc") < 0)
        return EXIT_FAILED;
    return options_main(&command, argc, argv);
}
