/* SPDX-License-Identifier: Apache-2.0 */
/* test_plugin_dir - which files of a directory become plugins, and when they go. */
#include "plugin/directory/plugin_dir.h"

#include "base/file.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"

#include <sys/resource.h>
#include <unistd.h>

/* Lines "LEVEL text". */
static struct {
    char text[4096];
} reports;

static void report_add(void *arg, enum log_level level, bool is_once, const char *text)
{
    size_t size = strlen(reports.text);
    (void)arg;
    (void)is_once;
    if (level < LOG_LEVEL_DEBUG)
        (void)snprintf(reports.text + size, sizeof reports.text - size, "%d %s\n",
                       (int)level, text);
}

static const struct plugin_report report = { report_add, NULL };

struct fixture {
    char path[128];
    struct plugin_dir dir;
    struct plugin_host *host;
};

static void set_up(struct fixture *f, const char *name)
{
    struct host_opts opts = host_opts_default;
    *f = (struct fixture){ 0 };
    (void)snprintf(f->path, sizeof f->path, "%s", scratch_path(name));
    assert_int_equal(mkdir(f->path, 0755), 0);
    f->dir.path = f->path;
    f->dir.report = &report;
    opts.program = "/bin/true"; /* it is started; nothing is read from it */
    assert_int_equal(host_new(&opts, &f->host), 0);
    reports.text[0] = '\0';
}

static const char *path_of(const struct fixture *f, const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", f->path, name);
    return path;
}

static void put(const struct fixture *f, const char *name, mode_t mode)
{
    assert_int_equal(file_replace(path_of(f, name), "x", 1, mode, NULL), 0);
    assert_int_equal(chmod(path_of(f, name), mode), 0);
}

static size_t scan(struct fixture *f)
{
    plugin_dir_scan(&f->dir, f->host);
    return host_plugin_count(f->host);
}

static unsigned reported(const char *text)
{
    unsigned count = 0;
    for (const char *at = reports.text; (at = strstr(at, text)); at++)
        count++;
    return count;
}

static void only_safe_files_are_plugins(void **state)
{
    struct fixture f;
    struct host_plugin plugin;
    (void)state;
    set_up(&f, "safe");
    put(&f, "good.lua", 0644);
    put(&f, "group.lua", 0664);
    put(&f, "others.lua", 0646);
    put(&f, "text", 0644);
    assert_int_equal(symlink("good.lua", path_of(&f, "link.lua")), 0);
    assert_int_equal(mkfifo(path_of(&f, "fifo.lua"), 0600), 0);
    assert_int_equal(mkdir(path_of(&f, "dir.lua"), 0755), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(scan(&f), 1);
    host_plugin_at(f.host, 0, &plugin);
    assert_string_equal(plugin.file, "good.lua");
    static const char *const refused[] = { "group", "others", "link", "fifo", "dir" };
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "plugin %s.lua is not run", refused[i]);
        if (reported(text) != 1)
            fail_msg("%s: %u times in:\n%s", text, reported(text), reports.text);
    }
    assert_int_equal(chmod(path_of(&f, "group.lua"), 0644), 0);
    assert_int_equal(scan(&f), 2);
    assert_int_equal(chmod(path_of(&f, "good.lua"), 0664), 0);
    assert_int_equal(scan(&f), 1);
    assert_int_equal(reported("plugin good.lua is not run"), 1);
    assert_int_equal(scan(&f), 1);
    /* It was not removed, and is again what it was; its removal is known as such. */
    assert_int_equal(chmod(path_of(&f, "good.lua"), 0644), 0);
    assert_int_equal(scan(&f), 2);
    assert_int_equal(chmod(path_of(&f, "good.lua"), 0664), 0);
    assert_int_equal(scan(&f), 1);
    assert_int_equal(reported("plugin good.lua is gone"), 0);
    assert_int_equal(unlink(path_of(&f, "good.lua")), 0);
    assert_int_equal(scan(&f), 1);
    assert_int_equal(reported("plugin good.lua is gone"), 1);
    host_free(f.host);
}

static void files_that_are_refused_use_no_slot(void **state)
{
    struct fixture f;
    char name[32];
    (void)state;
    set_up(&f, "many");
    for (int i = 0; i < HOST_PLUGINS_MAX + 10; i++) {
        (void)snprintf(name, sizeof name, "bad%d.lua", i);
        put(&f, name, 0666);
    }
    assert_int_equal(scan(&f), 0);
    put(&f, "good.lua", 0644);
    assert_int_equal(scan(&f), 1);
    host_free(f.host);
}

static void the_directory_is_its_owners_alone(void **state)
{
    struct fixture f;
    (void)state;
    set_up(&f, "open");
    put(&f, "good.lua", 0644);
    assert_int_equal(chmod(f.path, 0775), 0);
    assert_int_equal(scan(&f), 0);
    assert_int_equal(scan(&f), 0);
    assert_int_equal(reported("only its owner may write it"), 1);
    assert_int_equal(chmod(f.path, 0755), 0);
    assert_int_equal(scan(&f), 1);
    assert_int_equal(chmod(f.path, 0777), 0);
    assert_int_equal(unlink(path_of(&f, "good.lua")), 0);
    assert_int_equal(scan(&f), 1); /* what is loaded goes on */
    assert_int_equal(chmod(f.path, 0755), 0);
    assert_int_equal(scan(&f), 0);
    assert_int_equal(reported("plugin good.lua is gone"), 1);
    host_free(f.host);
}

static void owners_and_modes(void **state)
{
    const struct stat root = { .st_mode = S_IFREG | 0644 };
    struct stat st = root;
    (void)state;
    assert_true(plugin_is_safe(&st));
    st.st_uid = geteuid();
    assert_true(plugin_is_safe(&st));
    st.st_uid = geteuid() + 1;
    assert_false(plugin_is_safe(&st));
    st = root;
    st.st_mode |= S_IWGRP;
    assert_false(plugin_is_safe(&st));
    st = root;
    st.st_mode |= S_IWOTH;
    assert_false(plugin_is_safe(&st));
}

/* So many descriptors more than there are, and no others. */
static void limit_files(rlim_t count, struct rlimit *before)
{
    int next = dup(STDERR_FILENO);
    assert_true(next >= 0);
    (void)close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, before), 0);
    const struct rlimit few = { (rlim_t)next + count, before->rlim_max };
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
}

static void an_error_of_the_system_unloads_nothing(void **state)
{
    struct fixture f;
    struct rlimit before;
    (void)state;
    set_up(&f, "error");
    put(&f, "good.lua", 0644);
    assert_int_equal(scan(&f), 1);
    put(&f, "new.lua", 0644);
    for (rlim_t count = 0; count < 2; count++) { /* the directory, then the files */
        limit_files(count, &before);
        assert_int_equal(scan(&f), 1);
        assert_int_equal(scan(&f), 1);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    }
    assert_int_equal(reported("what is loaded goes on"), 1);
    assert_int_equal(reported("plugin good.lua is not read"), 1);
    assert_int_equal(reported("plugin new.lua is not read"), 1);
    assert_int_equal(scan(&f), 2);
    host_free(f.host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_safe_files_are_plugins),
        cmocka_unit_test(files_that_are_refused_use_no_slot),
        cmocka_unit_test(the_directory_is_its_owners_alone),
        cmocka_unit_test(owners_and_modes),
        cmocka_unit_test(an_error_of_the_system_unloads_nothing),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
