/* SPDX-License-Identifier: Apache-2.0 */
/* baro-sim - a Lustre file system that is played, with ground truth. */
#include "journal.h"
#include "lctl.h"
#include "plant.h"
#include "player_clock.h"
#include "reference.h"
#include "truth.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* --name value pairs in front of the operands. */
struct args {
    int argc;
    char **argv;
    const char *fs, *server, *target, *to, *version, *at, *gap, *root, *clock, *journal;
    const char *set, *until, *step, *pause, *period, *from, *story, *job, *length;
};

static const struct {
    const char *name;
    size_t offset;
} arg_names[] = {
#define ARG(field)                                \
    {                                             \
        "--" #field, offsetof(struct args, field) \
    }
    ARG(fs),   ARG(server), ARG(target), ARG(to),     ARG(version),
    ARG(at),   ARG(gap),    ARG(root),   ARG(clock),  ARG(journal),
    ARG(set),  ARG(until),  ARG(step),   ARG(pause),  ARG(period),
    ARG(from), ARG(story),  ARG(job),    ARG(length),
#undef ARG
};

static bool take_arg(struct args *args, const char *name, const char *value)
{
    for (size_t i = 0; i < COUNT_OF(arg_names); i++)
        if (strcmp(arg_names[i].name, name) == 0) {
            *(const char **)((char *)args + arg_names[i].offset) = value;
            return true;
        }
    return false;
}

static void parse_args(struct args *args, int argc, char **argv)
{
    int i = 0;
    while (i + 1 < argc && take_arg(args, argv[i], argv[i + 1]))
        i += 2;
    args->argc = argc - i;
    args->argv = argv + i;
}

static int parse_time(const char *text, int64_t *ret, struct err *err)
{
    struct span s = span_of(text);
    int rc = -EINVAL;
    if (s.size && s.data[0] == '@')
        rc = number_parse_seconds(span_skip(s, 1), ret);
    else if (s.size)
        rc = number_parse_duration(s, ret);
    return rc < 0 ? err_set(err, EINVAL, "'%s' is neither @SECONDS nor a duration",
                            text ? text : "")
                  : 0;
}

static int open_fs(const struct args *args, struct sim **ret, struct err *err)
{
    if (!args->fs)
        return err_set(err, EINVAL, "--fs DIR is wanted");
    return sim_open(args->fs, ret, err);
}

/* @T, or a time after the epoch of the file system, or now. */
static int time_in(const struct sim *sim, const char *text, int64_t *ret,
                   struct err *err)
{
    if (!text) {
        *ret = clock_now_ns();
        return 0;
    }
    int64_t t_ns = 0;
    int rc = parse_time(text, &t_ns, err);
    if (rc == 0)
        *ret = text[0] == '@' ? t_ns : sim->conf.epoch_ns + t_ns;
    return rc;
}

static int server_of(const struct sim *sim, const char *name, size_t *ret,
                     struct err *err)
{
    int index = name ? sim_find_server(sim, name) : -ENOENT;
    if (index < 0)
        return err_set(err, EINVAL, "server '%s' is not known", name ? name : "");
    *ret = (size_t)index;
    return 0;
}

/* ---- init ---- */

/* DIR/servers/NAME/lctl: what the agent on that server calls. */
static int write_wrapper(const struct args *args, const char *self, const char *server,
                         struct err *err)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/servers/%s", args->fs, server);
    int rc = file_make_dirs(path, 0755, err);
    if (rc < 0)
        return rc;
    AUTO(strbuf_done) struct strbuf text = STRBUF_INIT;
    strbuf_adds(&text, "#!/bin/sh\n");
    if (args->clock)
        strbuf_addf(&text, "BARO_CLOCK='%s' ; export BARO_CLOCK\n", args->clock);
    strbuf_addf(&text, "exec '%s' lctl --fs '%s' --server %s \"$@\"\n", self, args->fs,
                server);
    (void)snprintf(path, sizeof path, "%s/servers/%s/lctl", args->fs, server);
    if (strbuf_error(&text))
        return -ENOMEM;
    return file_replace(path, text.data, text.size, 0755, err);
}

static int write_wrappers(const struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    AUTO_FREE char *self = realpath("/proc/self/exe", NULL);
    if (!self)
        return err_set(err, errno, "/proc/self/exe: %s", strerror(errno));
    int rc = sim_open(args->fs, &sim, err);
    for (size_t i = 0; rc == 0 && i < sim->server_count; i++)
        rc = write_wrapper(args, self, sim->servers[i], err);
    return rc;
}

static int run_init(struct args *args, struct err *err)
{
    if (!args->fs || args->fs[0] != '/')
        return err_set(err, EINVAL, "--fs DIR, an absolute path, is wanted");
    struct sim_conf conf;
    sim_conf_default(&conf);
    for (int i = 0; i < args->argc; i++) {
        AUTO_FREE char *key = strdup(args->argv[i]);
        if (!key)
            return -ENOMEM;
        char *equals = strchr(key, '=');
        if (!equals)
            return err_set(err, EINVAL, "'%s': KEY=VALUE is wanted", key);
        *equals = '\0';
        int rc = sim_conf_set(&conf, key, equals + 1, err);
        if (rc < 0)
            return rc;
    }
    int rc = file_make_dirs(args->fs, 0755, err);
    if (rc == 0)
        rc = sim_conf_write(&conf, args->fs, err);
    return rc < 0 ? rc : write_wrappers(args, err);
}

/* ---- what happens to the servers ---- */

static int run_move(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int rc = open_fs(args, &sim, err);
    int64_t at_ns = 0, gap_ns = 60 * NS_PER_S;
    size_t server = 0;
    if (rc == 0)
        rc = time_in(sim, args->at, &at_ns, err);
    if (rc == 0 && args->gap)
        rc = parse_time(args->gap, &gap_ns, err);
    if (rc == 0)
        rc = server_of(sim, args->to, &server, err);
    if (rc == 0 && (!args->target || sim_find_target(sim, args->target) < 0))
        rc = err_set(err, EINVAL, "--target is not known");
    if (rc < 0)
        return rc;
    char line[256];
    (void)snprintf(
        line, sizeof line, "move %s %s @%" PRId64 ".%09" PRId64 " %" PRId64 "ms\n",
        args->target, args->to, at_ns / NS_PER_S, at_ns % NS_PER_S, gap_ns / NS_PER_MS);
    return sim_add_event(args->fs, line, err);
}

static int run_upgrade(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int rc = open_fs(args, &sim, err);
    int64_t at_ns = 0, gap_ns = 300 * NS_PER_S;
    size_t server = 0;
    if (rc == 0)
        rc = time_in(sim, args->at, &at_ns, err);
    if (rc == 0 && args->gap)
        rc = parse_time(args->gap, &gap_ns, err);
    if (rc == 0)
        rc = server_of(sim, args->server, &server, err);
    if (rc == 0 && (!args->version || !sim_version_find(args->version)))
        rc = err_set(err, EINVAL, "--version is not known");
    if (rc < 0)
        return rc;
    char line[256];
    (void)snprintf(line, sizeof line,
                   "upgrade %s %s @%" PRId64 ".%09" PRId64 " %" PRId64 "ms\n",
                   args->server, args->version, at_ns / NS_PER_S, at_ns % NS_PER_S,
                   gap_ns / NS_PER_MS);
    return sim_add_event(args->fs, line, err);
}

/* ---- stories and the truth ---- */

static int run_plant(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int64_t at_ns = 0, length_ns = 20 * NS_PER_S;
    uint64_t number = 900001;
    int story = 0;
    int rc = open_fs(args, &sim, err);
    if (rc == 0)
        rc = time_in(sim, args->at, &at_ns, err);
    if (rc == 0 && args->length)
        rc = parse_time(args->length, &length_ns, err);
    if (rc == 0 && args->job && number_parse_u64(span_of(args->job), &number) < 0)
        rc = err_set(err, EINVAL, "--job: '%s' is no number", args->job);
    while (rc == 0 && story < SIM_STORY_COUNT &&
           (!args->story ||
            strcmp(args->story, sim_story_name((enum sim_story)story)) != 0))
        story++;
    if (rc == 0 && story == SIM_STORY_COUNT)
        rc = err_set(err, EINVAL, "--story is own, neighbour or both");
    return rc < 0 ? rc
                  : sim_story_plant(sim, (enum sim_story)story, number, at_ns,
                                    length_ns, err);
}

static int run_truth(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int64_t from_ns = 0, until_ns = 0;
    int rc = open_fs(args, &sim, err);
    if (rc == 0)
        rc = time_in(sim, args->from, &from_ns, err);
    if (rc == 0)
        rc = time_in(sim, args->until, &until_ns, err);
    return rc < 0 ? rc : sim_truth_print(sim, from_ns, until_ns, stdout);
}

/* ---- reading ---- */

static int run_lctl(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int rc = open_fs(args, &sim, err);
    int64_t t_ns = 0;
    size_t server = 0;
    if (rc == 0)
        rc = time_in(sim, args->at, &t_ns, err);
    if (rc == 0)
        rc = server_of(sim, args->server, &server, err);
    if (rc < 0)
        return rc;
    return sim_lctl(sim, server, t_ns, args->argc, args->argv);
}

static int run_materialise(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int rc = open_fs(args, &sim, err);
    int64_t t_ns = 0;
    size_t server = 0;
    if (rc == 0)
        rc = time_in(sim, args->at, &t_ns, err);
    if (rc == 0)
        rc = server_of(sim, args->server, &server, err);
    if (rc == 0 && !args->root)
        rc = err_set(err, EINVAL, "--root DIR is wanted");
    return rc < 0 ? rc : sim_materialise(sim, server, t_ns, args->root, err);
}

static int run_servers(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    int rc = open_fs(args, &sim, err);
    for (size_t i = 0; rc == 0 && i < sim->server_count; i++)
        printf("%s\n", sim->servers[i]);
    return rc;
}

static int run_versions(struct args *args, struct err *err)
{
    (void)args;
    (void)err;
    for (size_t i = 0; sim_version_at(i); i++)
        printf("%s\n", sim_version_at(i)->name);
    return 0;
}

/* ---- the reference ---- */

static int run_reference(struct args *args, struct err *err)
{
    AUTO(sim_free) struct sim *sim = NULL;
    struct sim_reference_opts opts = { .interval_ns = 120 * NS_PER_S };
    int rc = open_fs(args, &sim, err);
    if (rc == 0 && args->period)
        rc = parse_time(args->period, &opts.interval_ns, err);
    if (rc == 0)
        rc = time_in(sim, args->until, &opts.until_ns, err);
    opts.per_series = args->argc > 0 && strcmp(args->argv[0], "series") == 0;
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/journal", args->fs ? args->fs : "");
    AUTO_FREE struct sim_look *looks = NULL;
    size_t count = 0;
    if (rc == 0)
        rc = sim_journal_read(sim, args->journal ? args->journal : path, &looks, &count,
                              err);
    return rc < 0 ? rc : sim_reference(sim, looks, count, &opts, stdout, err);
}

/* ---- the clock ---- */

static int run_clock(struct args *args, struct err *err)
{
    if (!args->clock)
        return err_set(err, EINVAL, "--clock PAGE is wanted");
    int64_t now_ns = 0, until_ns = 0, step_ns = NS_PER_S, pause_ns = 10 * NS_PER_MS;
    int rc = 0;
    if (args->set) {
        rc = parse_time(args->set, &now_ns, err);
        return rc < 0 ? rc : player_clock_set(args->clock, now_ns, err);
    }
    rc = player_clock_get(args->clock, &now_ns, err);
    if (rc == 0 && args->step)
        rc = parse_time(args->step, &step_ns, err);
    if (rc == 0 && args->pause)
        rc = parse_time(args->pause, &pause_ns, err);
    if (rc == 0 && args->until) {
        rc = parse_time(args->until, &until_ns, err);
        if (rc == 0 && args->until[0] != '@')
            until_ns += now_ns;
        if (rc == 0)
            rc = player_clock_run(args->clock, until_ns, step_ns, pause_ns / NS_PER_MS,
                                  err);
    }
    if (rc == 0)
        rc = player_clock_get(args->clock, &now_ns, err);
    if (rc == 0)
        printf("@%" PRId64 ".%09" PRId64 "\n", now_ns / NS_PER_S, now_ns % NS_PER_S);
    return rc;
}

static const struct {
    const char *name;
    int (*run)(struct args *args, struct err *err); /* -errno, or an exit status */
    const char *help;
} commands[] = {
    { "init", run_init, "--fs DIR [--clock PAGE] [KEY=VALUE ...]" },
    { "lctl", run_lctl,
      "--fs DIR --server NAME [--at T] get_param [-n|-N] PATTERN..." },
    { "move", run_move, "--fs DIR --target NAME --to SERVER [--at T] [--gap 60s]" },
    { "upgrade", run_upgrade,
      "--fs DIR --server NAME --version V [--at T] [--gap 300s]" },
    { "materialise", run_materialise, "--fs DIR --server NAME --root ROOT [--at T]" },
    { "reference", run_reference,
      "--fs DIR [--journal FILE] [--period 2m] [--until T] [series]" },
    { "plant", run_plant,
      "--fs DIR --story own|neighbour|both [--at T] [--length 20s] [--job N]" },
    { "truth", run_truth, "--fs DIR --from T --until T" },
    { "servers", run_servers, "--fs DIR" },
    { "versions", run_versions, "" },
    { "clock", run_clock,
      "--clock PAGE [--set @T | --until @T|DURATION [--step 1s] [--pause "
      "10ms]]" },
};

static int usage(void)
{
    fprintf(stderr, "usage:\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        fprintf(stderr, "  baro-sim %s %s\n", commands[i].name, commands[i].help);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    struct err err = { { 0 } };
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc < 2)
        return usage();
    if (clock_start(&err) < 0) {
        fprintf(stderr, "baro-sim: %s\n", err.text);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (strcmp(commands[i].name, argv[1]) != 0)
            continue;
        struct args args = { 0 };
        parse_args(&args, argc - 2, argv + 2);
        int rc = commands[i].run(&args, &err);
        if (rc < 0)
            fprintf(stderr, "baro-sim: %s\n", *err.text ? err.text : strerror(-rc));
        return rc < 0 ? EXIT_FAILED : rc;
    }
    return usage();
}
