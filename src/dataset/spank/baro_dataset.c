/* SPDX-License-Identifier: Apache-2.0 */
/* baro_dataset - a SPANK plugin: srun, sbatch and salloc with --dataset.
 *
 *     srun, sbatch, salloc   --dataset, --view, --root-image ─▶ SLURM_DATASET,
 *                            SLURM_DATASET_VIEW, _ROOT, for all that they start
 *     slurmd                 prolog: references of the job; epilog: given back
 *     slurmstepd             SLURM_DATASET ─▶ step_prepare() once, step_enter() each
 * task
 *
 * All of it is here and in `step`: only the agent's other process reads bytes of a
 * network.
 * Slurm's functions have the names that it looks for.
 */
#include "base/number.h"
#include "base/span.h"
#include "dataset/spank/datasets.h"
#include "dataset/spank/step.h"
#include "dataset/view/view.h"
#include "dataset/visit/visit.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <slurm/spank.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPANK_PLUGIN(baro_dataset, 1)

#define VARIABLE "SLURM_DATASET"
/* Whose option it was: srun, sbatch or salloc. */
#define VARIABLE_BY "SLURM_DATASET_BY"
#define VARIABLE_VIEW "SLURM_DATASET_VIEW"
#define VARIABLE_ROOT "SLURM_DATASET_ROOT"
#define HOOKS "/etc/barograph/dataset-hooks.d"
#define CONTROL "DATASET" /* SPANK_DATASET of prolog and epilog */
#define STEP_EXTERN 0xfffffffcU
#define STEP_BATCH 0xfffffffbU
#define GROUPS_COUNT_MAX 64

static char agent[VISIT_PATH_SIZE] = AGENT_SOCKET;
/* By options of this command. */
static struct chosen_list {
    const char *option;
    bool is_chosen;
    struct datasets list;
} chosen = { .option = "--dataset" }, views = { .option = "--view" },
  root = { .option = "--root-image" };
static char hooks[VISIT_PATH_SIZE] = HOOKS;
static struct step step = { .namespace_fd = -1 };
static struct err failure;

/* ---- srun, sbatch, salloc ---- */

/* What a nested srun would read as options of its own: the last one alone. */
static const char *const variables_of_slurm[] = {
    "_SLURM_SPANK_OPTION_baro_dataset_dataset",
    "SLURM_SPANK__SLURM_SPANK_OPTION_baro_dataset_dataset",
    "_SLURM_SPANK_OPTION_baro_dataset_view",
    "SLURM_SPANK__SLURM_SPANK_OPTION_baro_dataset_view",
    "_SLURM_SPANK_OPTION_baro_dataset_root_image",
    "SLURM_SPANK__SLURM_SPANK_OPTION_baro_dataset_root_image",
};

static int option_add(struct chosen_list *to, const char *text, int is_remote)
{
    struct err err = { 0 };
    if (is_remote)
        return 0; /* all of them are in the variable */
    to->is_chosen = true;
    if (datasets_add(&to->list, span_of(text ? text : ""), &err) == 0)
        return 0;
    slurm_error("%s: %s", to->option, err.text);
    return -1;
}

static int on_dataset(int value, const char *text, int is_remote)
{
    (void)value;
    return option_add(&chosen, text, is_remote);
}

static int on_view(int value, const char *text, int is_remote)
{
    (void)value;
    return option_add(&views, text, is_remote);
}

static int on_root(int value, const char *text, int is_remote)
{
    (void)value;
    return option_add(&root, text, is_remote);
}

static int options_register(spank_t spank)
{
    struct spank_option option = {
        .name = (char[]){ "dataset" },
        .arginfo = (char[]){ "NAME[:/path]" },
        .usage = (char[]){ "mount this dataset for the tasks, there; may be repeated; "
                           "'none': none that is inherited" },
        .has_arg = 1,
        .cb = on_dataset,
    };
    struct spank_option view = {
        .name = (char[]){ "view" },
        .arginfo = (char[]){ "NAME" },
        .usage = (char[]){ "variables of that view of the datasets; may be repeated; "
                           "'none': none that is inherited" },
        .has_arg = 1,
        .cb = on_view,
    };
    struct spank_option image = {
        .name = (char[]){ "root-image" },
        .arginfo = (char[]){ "NAME" },
        .usage = (char[]){ "this dataset is the root of all paths of the tasks; "
                           "'none': none that is inherited" },
        .has_arg = 1,
        .cb = on_root,
    };
    return spank_option_register(spank, &option) == ESPANK_SUCCESS &&
                   spank_option_register(spank, &view) == ESPANK_SUCCESS &&
                   spank_option_register(spank, &image) == ESPANK_SUCCESS
               ? 0
               : -1;
}

static void arguments_read(int count, char **arguments)
{
    for (int i = 0; i < count; i++)
        if (!strncmp(arguments[i], "agent=", 6))
            (void)snprintf(agent, sizeof agent, "%s", arguments[i] + 6);
        else if (!strncmp(arguments[i], "hooks=", 6))
            (void)snprintf(hooks, sizeof hooks, "%s", arguments[i] + 6);
}

/* The one rule: options of this command are the list; without any it is inherited.
 * Errors: those of datasets_parse(), with a line. */
static int list_settle(struct chosen_list *of, const char *variable, struct err *err)
{
    const char *inherited = getenv(variable);
    if (of->is_chosen || !inherited)
        return 0;
    return err_prefix(err, datasets_parse(span_of(inherited), &of->list, err), "%s",
                      variable);
}

static int list_set(const struct chosen_list *of, const char *variable,
                    char text[static DATASETS_TEXT_SIZE], struct err *err)
{
    datasets_print(&of->list, text);
    if (!of->is_chosen && !getenv(variable))
        return 0;
    return setenv(variable, text, 1) < 0 ? err_set(err, errno, "%s", strerror(errno))
                                         : 0;
}

/* Views belong to a list of datasets: a new one begins without. */
static int lists_settle(struct err *err)
{
    int rc = list_settle(&chosen, VARIABLE, err);
    views.is_chosen |= chosen.is_chosen;
    if (rc == 0)
        rc = list_settle(&root, VARIABLE_ROOT, err);
    if (rc == 0)
        rc = list_settle(&views, VARIABLE_VIEW, err);
    if (rc == 0 && root.list.count > 1)
        rc = err_set(err, EINVAL, "more than one root");
    return rc == 0 && views.list.count && !chosen.list.count && !root.list.count &&
                   views.is_chosen
               ? err_set(err, EINVAL, "a view of which dataset?")
               : rc;
}

static int lists_publish(spank_t spank)
{
    char text[DATASETS_TEXT_SIZE], more_text[DATASETS_TEXT_SIZE];
    struct err err = { 0 };
    if (!chosen.is_chosen && !views.is_chosen && !root.is_chosen && !getenv(VARIABLE) &&
        !getenv(VARIABLE_ROOT))
        return 0;
    int rc = lists_settle(&err);
    if (rc == 0)
        rc = list_set(&chosen, VARIABLE, text, &err);
    if (rc == 0)
        rc = list_set(&views, VARIABLE_VIEW, more_text, &err);
    if (rc == 0)
        rc = list_set(&root, VARIABLE_ROOT, more_text, &err);
    if (rc == 0 && root.list.count) /* the prolog has a reference of it, too */
        rc = datasets_add(&chosen.list, root.list.texts[0], &err);
    datasets_print(&chosen.list, text);
    if (rc == 0 && chosen.is_chosen &&
        setenv(VARIABLE_BY, program_invocation_short_name, 1) < 0)
        rc = err_set(&err, errno, "%s", strerror(errno));
    if (rc < 0) {
        slurm_error("%s: %s",
                    chosen.is_chosen ? chosen.option
                    : root.is_chosen ? root.option
                                     : views.option,
                    err.text);
        return -1;
    }
    (void)spank_job_control_setenv(spank, CONTROL, text, 1);
    return 0;
}

/* ---- slurmstepd ---- */

static void groups_add(char *out, gid_t gid)
{
    size_t used = strlen(out), rest = AGENT_GROUPS_SIZE - used;
    int size = snprintf(out + used, rest, "%s%u", used ? "." : "", gid);
    if (size < 0 || (size_t)size >= rest)
        out[used] = '\0'; /* half a number would be another group */
}

static int step_user(spank_t spank, struct visit_user *ret)
{
    uid_t uid = 0;
    gid_t gid = 0, *groups = NULL;
    uint32_t job = 0;
    int count = 0;
    if (spank_get_item(spank, S_JOB_UID, &uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &gid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS)
        return -EINVAL;
    *ret = (struct visit_user){ .uid = uid, .gid = gid, .job = job };
    groups_add(ret->groups, gid);
    if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &count) !=
        ESPANK_SUCCESS)
        count = 0;
    for (int i = 0; i < count; i++)
        if (groups[i] != gid)
            groups_add(ret->groups, groups[i]);
    return 0;
}

static int list_read(spank_t spank, const char *variable, struct datasets *ret,
                     struct err *err)
{
    char text[DATASETS_TEXT_SIZE];
    spank_err_t rc = spank_getenv(spank, variable, text, sizeof text);
    *ret = (struct datasets){ 0 };
    if (rc == ESPANK_ENV_NOEXIST)
        return 0;
    return rc == ESPANK_SUCCESS
               ? datasets_parse(span_of(text), ret, err)
               : err_set(err, EINVAL, "%s: %s", variable, spank_strerror(rc));
}

/* As the user's environment has it: the agent knows three. */
static void command_read(spank_t spank, char command[static AGENT_COMMAND_SIZE])
{
    if (spank_getenv(spank, VARIABLE_BY, command, AGENT_COMMAND_SIZE) !=
            ESPANK_SUCCESS ||
        strspn(command, "abcdefghijklmnopqrstuvwxyz") != strlen(command) || !*command)
        (void)snprintf(command, AGENT_COMMAND_SIZE, "-");
}

static const char *variable_find(void *arg, const char *name)
{
    static char value[VIEW_VALUE_SIZE];
    spank_t spank = arg;
    return spank_getenv(spank, name, value, sizeof value) == ESPANK_SUCCESS ? value
                                                                            : NULL;
}

static int variable_set(void *arg, const char *name, const char *value, struct err *err)
{
    spank_t spank = arg;
    spank_err_t rc = spank_setenv(spank, name, value, 1);
    return rc == ESPANK_SUCCESS
               ? 0
               : err_set(err, EINVAL, "%s: %s", name, spank_strerror(rc));
}

/* Of a step that has its datasets. */
static int views_apply(spank_t spank, struct err *err)
{
    const struct visit_environment environment = { variable_find, variable_set, spank };
    int rc = list_read(spank, VARIABLE_VIEW, &views.list, err);
    for (size_t i = 0; rc == 0 && i < views.list.count; i++)
        rc = visit_view_apply(&step.visit, views.list.texts[i], &environment, err);
    return rc;
}

/* A script of sbatch is in a directory of its own below slurmd's, which no image has:
 * the task could not be started in its root. */
static void script_read(spank_t spank, char directory[static VISIT_PATH_SIZE])
{
    char **arguments = NULL;
    uint32_t id = 0;
    int count = 0;
    directory[0] = '\0';
    if (spank_get_item(spank, S_JOB_STEPID, &id) != ESPANK_SUCCESS ||
        id != STEP_BATCH ||
        spank_get_item(spank, S_JOB_ARGV, &count, &arguments) != ESPANK_SUCCESS ||
        count < 1)
        return;
    const char *end = strrchr(arguments[0], '/');
    if (end && end - arguments[0] < VISIT_PATH_SIZE)
        (void)snprintf(directory, VISIT_PATH_SIZE, "%.*s", (int)(end - arguments[0]),
                       arguments[0]);
}

/* The root of a step, and what stays reachable in it: the user's environment states
 * that, and the user has to be able to open it. */
static int root_read(spank_t spank, struct err *err)
{
    static const char *const names[] = { "HOME", "SCRATCH", "WORK" };
    int rc = list_read(spank, VARIABLE_ROOT, &root.list, err);
    if (rc < 0 || root.list.count == 0)
        return rc;
    if (root.list.count > 1)
        return err_set(err, EINVAL, VARIABLE_ROOT ": more than one root");
    step.root.name = root.list.texts[0];
    step.root.hooks = hooks;
    script_read(spank, step.root.binds[0]);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (spank_getenv(spank, names[i], step.root.binds[i + 1], VISIT_PATH_SIZE) !=
            ESPANK_SUCCESS)
            step.root.binds[i + 1][0] = '\0';
    return 0;
}

static void step_begin(spank_t spank)
{
    static char mounts[VISIT_MOUNTS_SIZE];
    char command[AGENT_COMMAND_SIZE];
    struct datasets datasets;
    uint32_t id = 0;
    int rc = list_read(spank, VARIABLE, &datasets, &failure);
    for (size_t i = 0; i < COUNT_OF(variables_of_slurm); i++)
        (void)spank_unsetenv(spank, variables_of_slurm[i]);
    (void)spank_unsetenv(spank, VISIT_VARIABLE); /* of the command that submitted it */
    if (rc == 0)
        rc = root_read(spank, &failure);
    if (rc < 0 || (datasets.count == 0 && step.root.name.size == 0) ||
        (spank_get_item(spank, S_JOB_STEPID, &id) == ESPANK_SUCCESS &&
         id == STEP_EXTERN))
        return;
    command_read(spank, command);
    rc = step_user(spank, &step.user);
    if (rc < 0)
        (void)err_set(&failure, -rc, "Slurm states no user of the step");
    else if (step_prepare(&step, agent, &datasets, command, &failure) == 0 &&
             views_apply(spank, &failure) == 0)
        visit_print(&step.visit, mounts);
    (void)spank_setenv(spank, VISIT_VARIABLE, mounts, 1);
}

static void step_report(const struct err *err)
{
    char host[64] = "";
    (void)gethostname(host, sizeof host - 1);
    slurm_error("node %s: %s", host, err->text);
}

/* ---- prolog and epilog ---- */

static int job_user(uid_t uid, uint32_t job, struct visit_user *ret)
{
    gid_t groups[GROUPS_COUNT_MAX];
    int count = GROUPS_COUNT_MAX;
    const struct passwd *user = getpwuid(uid);
    if (!user)
        return -ENOENT;
    *ret = (struct visit_user){ .uid = uid, .gid = user->pw_gid, .job = job };
    if (getgrouplist(user->pw_name, user->pw_gid, groups, &count) < 0)
        count = GROUPS_COUNT_MAX;
    groups_add(ret->groups, user->pw_gid);
    for (int i = 0; i < count; i++)
        if (groups[i] != user->pw_gid)
            groups_add(ret->groups, groups[i]);
    return 0;
}

static int job_of(spank_t spank, uint32_t *ret_job, uid_t *ret_uid)
{
    return spank_get_item(spank, S_JOB_ID, ret_job) == ESPANK_SUCCESS &&
                   spank_get_item(spank, S_JOB_UID, ret_uid) == ESPANK_SUCCESS
               ? 0
               : -EINVAL;
}

/* ---- what Slurm calls ---- */

int slurm_spank_init(spank_t spank, int count, char **arguments)
{
    spank_context_t context = spank_context();
    arguments_read(count, arguments);
    if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR) {
        for (size_t i = 0; i < COUNT_OF(variables_of_slurm); i++)
            (void)unsetenv(variables_of_slurm[i]);
    }
    return context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR ||
                   context == S_CTX_REMOTE
               ? options_register(spank)
               : 0;
}

int slurm_spank_init_post_opt(spank_t spank, int count, char **arguments)
{
    spank_context_t context = spank_context();
    (void)count;
    (void)arguments;
    if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR)
        return lists_publish(spank);
    if (context == S_CTX_REMOTE)
        step_begin(spank);
    return 0;
}

int slurm_spank_user_init(spank_t spank, int count, char **arguments)
{
    (void)spank;
    (void)count;
    (void)arguments;
    /* The step's standard error is there now: its user sees why, once a node.  The step
     * ends with a status where its tasks fail; here srun would have none. */
    if (failure.text[0])
        step_report(&failure);
    else if (step.visit.note.text[0])
        step_report(&step.visit.note);
    return 0;
}

int slurm_spank_task_init_privileged(spank_t spank, int count, char **arguments)
{
    (void)spank;
    (void)count;
    (void)arguments;
    if (failure.text[0])
        return -1;
    if (step_enter(&step, &failure) == 0)
        return 0;
    step_report(&failure);
    return -1;
}

int slurm_spank_task_init(spank_t spank, int count, char **arguments)
{
    (void)spank;
    (void)count;
    (void)arguments;
    step_return_directory(&step);
    return 0;
}

/* A job is never held, nor a node drained: what fails here is stated when it starts. */
int slurm_spank_job_prolog(spank_t spank, int count, char **arguments)
{
    struct datasets datasets;
    struct visit_user user;
    struct err err = { 0 };
    uint32_t job = 0;
    uid_t uid = 0;
    const char *text = getenv("SPANK_" CONTROL);
    arguments_read(count, arguments);
    if (!text || job_of(spank, &job, &uid) < 0 || job_user(uid, job, &user) < 0)
        return 0;
    int rc = datasets_parse(span_of(text), &datasets, &err);
    if (rc == 0 && datasets.count)
        rc = step_hold(agent, &datasets, &user, &err);
    if (rc < 0)
        slurm_info("baro_dataset: job %u: %s", job, err.text);
    return 0;
}

int slurm_spank_job_epilog(spank_t spank, int count, char **arguments)
{
    struct err err = { 0 };
    uint32_t job = 0;
    uid_t uid = 0;
    arguments_read(count, arguments);
    if (job_of(spank, &job, &uid) == 0 && step_give_back(agent, job, &err) < 0)
        slurm_error("baro_dataset: job %u: %s", job, err.text);
    return 0;
}
