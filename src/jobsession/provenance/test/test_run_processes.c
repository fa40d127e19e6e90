/* SPDX-License-Identifier: Apache-2.0 */
/* test_run_processes - which processes are of a run and what they have open, from a
 * tree as /proc has it. */
#include "base/file.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/scratch.h"
#include "base/test/testing.h"
#include "jobsession/provenance/run_processes.h"

#include <sys/stat.h>
#include <unistd.h>

static char root[256];

static const char *root_path(const char *name)
{
    static char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static void put_bytes(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(root_path(name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void put_text(const char *name, const char *text)
{
    put_bytes(name, text, strlen(text));
}

static void put_link(const char *name, const char *to)
{
    (void)unlink(root_path(name));
    assert_int_equal(symlink(to, root_path(name)), 0);
}

static uint64_t inode_of(const char *name)
{
    struct stat st;
    assert_int_equal(stat(root_path(name), &st), 0);
    return st.st_ino;
}

/* id "": its environment has none. */
static void make_process(const char *pid, const char *id, const char *cgroup)
{
    static const char *const parts[] = { "", "/fd", "/fdinfo" };
    char name[64], environment[128];
    struct err err = { 0 };
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        (void)snprintf(name, sizeof name, "proc/%s%s", pid, parts[i]);
        assert_int_equal(file_make_dirs(root_path(name), 0700, &err), 0);
    }
    int size = *id ? snprintf(environment, sizeof environment,
                              "A=1%cBARO_SESSION_ID=%s%c", 0, id, 0)
                   : snprintf(environment, sizeof environment, "A=1%c", 0);
    (void)snprintf(name, sizeof name, "proc/%s/environ", pid);
    put_bytes(name, environment, (size_t)size);
    (void)snprintf(name, sizeof name, "proc/%s/cgroup", pid);
    put_text(name, cgroup);
    (void)snprintf(name, sizeof name, "proc/%s/maps", pid);
    put_text(name, "");
}

static void open_file(const char *pid, const char *fd, const char *path,
                      const char *flags)
{
    char name[64], text[64];
    (void)snprintf(name, sizeof name, "proc/%s/fd/%s", pid, fd);
    put_link(name, path);
    (void)snprintf(name, sizeof name, "proc/%s/fdinfo/%s", pid, fd);
    (void)snprintf(text, sizeof text, "pos:\t0\nflags:\t%s\nmnt_id:\t30\n", flags);
    put_text(name, text);
}

struct reading {
    struct path_names names;
    struct file_table table;
};

static size_t read_all(struct reading *r, const char *id)
{
    const struct run_opts opts = { root, id, geteuid() };
    r->names = (struct path_names){ .home = "/nowhere", .prefixes = "/x:/y" };
    assert_int_equal(file_table_init(&r->table, &r->names), 0);
    return run_processes_read(&opts, &r->table);
}

static size_t count_kind(const struct reading *r, enum job_file_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < r->table.count; i++)
        count += r->table.files[i].kind == kind;
    return count;
}

static int make_tree(void **state)
{
    char text[4096], in[1024], out[1024], lib[1024];
    int rc = scratch_make(state);
    (void)snprintf(root, sizeof root, "%s", scratch_path("root"));
    struct err err = { 0 };
    if (rc < 0 || file_make_dirs(root_path("proc/self"), 0700, &err) < 0)
        return -1;
    put_text("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0\n");
    put_text("in", "1");
    put_text("out", "22");
    put_text("lib", "no ELF");
    (void)snprintf(in, sizeof in, "%s", root_path("in"));
    (void)snprintf(out, sizeof out, "%s", root_path("out"));
    (void)snprintf(lib, sizeof lib, "%s", root_path("lib"));
    make_process("10", "mine", "0::/user.slice\n");
    put_link("proc/10/exe", "/proc/self/exe");
    open_file("10", "3", in, "0100000");
    open_file("10", "4", out, "0102001");
    open_file("10", "5", "socket:[12]", "02");
    open_file("10", "6", "/dev/null", "02");
    (void)snprintf(text, sizeof text,
                   "7f00-7f10 r--p 00000000 08:01 %llu %s\n"
                   "7f10-7f20 r-xp 00000000 08:01 %llu %s\n"
                   "7f20-7f30 r--s 00000000 08:01 %llu %s\n"
                   "7f20-7f30 rw-p 00000000 00:00 0\n"
                   "hostile\n\n\t\n7f20-7f30 r-xp 0 08:01 77 /cut off",
                   (unsigned long long)inode_of("lib"), lib,
                   (unsigned long long)inode_of("lib"), lib,
                   (unsigned long long)inode_of("in"), in);
    put_text("proc/10/maps", text);
    make_process("11", "another", "0::/user.slice\n");
    open_file("11", "3", lib, "0100000");
    make_process("12", "", "0::/system.slice/slurmstepd.scope/job_7/step_1\n");
    put_link("proc/12/exe", lib);
    make_process("13", "", "0::/system.slice/slurmstepd.scope/job_8/step_1\n");
    put_link("proc/13/exe", in);
    make_process("14", "another", "0::/system.slice/slurmstepd.scope/job_7/step_1\n");
    put_link("proc/14/exe", in);
    (void)file_make_dirs(root_path("proc/notanumber"), 0700, &err);
    return 0;
}

/* What another run of hers, and another job, has open is not of this run. */
static void a_run_is_its_processes(void **state)
{
    struct reading r;
    (void)state;
    assert_int_equal(read_all(&r, "mine"), 2);
    assert_int_equal(count_kind(&r, JOB_FILE_READ), 1);
    assert_int_equal(count_kind(&r, JOB_FILE_WRITTEN), 1);
    assert_int_equal(count_kind(&r, JOB_FILE_LIBRARY), 1);
    assert_int_equal(r.table.cut, 0);
    for (size_t i = 0; i < r.table.count; i++) {
        const struct file_known *file = &r.table.files[i];
        assert_true(file->name[0] == '#'); /* below no directory that is shown */
        if (file->kind == JOB_FILE_LIBRARY)
            assert_int_equal(file->inode, inode_of("lib"));
        if (file->kind == JOB_FILE_WRITTEN)
            assert_int_equal(file->size, 2);
    }
    file_table_done(&r.table);
}

static struct file_drain drain_of(enum file_reader reader, int64_t now_ns)
{
    return (struct file_drain){
        .reader = reader, .host = "n1", .bytes_max = 4000, .now_ns = now_ns
    };
}

static void put_out(struct reading *r, const char *text)
{
    const struct run_opts opts = { root, "mine", geteuid() };
    put_text("out", text);
    (void)run_processes_read(&opts, &r->table);
}

/* A log that grows is no news each second. */
static void what_is_known_is_sent_once(void **state)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    struct file_drain drain = drain_of(FILE_FOR_SITE, NS_PER_S);
    struct reading r;
    (void)state;
    (void)read_all(&r, "mine");
    r.names.prefixes = scratch_path("root"); /* as they are, from now on */
    file_table_drain(&r.table, &drain, &list);
    assert_true(list.size > 0);
    file_table_sent(&r.table, &drain);
    put_out(&r, "22");
    file_table_drain(&r.table, &drain, &list);
    assert_int_equal(list.size, 0);
    put_out(&r, "more than before");
    file_table_drain(&r.table, &drain, &list);
    assert_int_equal(list.size, 0);
    assert_true(file_table_is_due(&r.table, FILE_FOR_SITE));
    drain.now_ns += 601 * NS_PER_S;
    file_table_drain(&r.table, &drain, &list);
    assert_true(span_starts(strbuf_span(&list), "written "));
    assert_null(memchr(list.data, '\t', list.size));
    file_table_sent(&r.table, &drain);
    put_out(&r, "and more than that");
    drain.is_last = true;
    file_table_drain(&r.table, &drain, &list);
    assert_true(list.size > 0);
    file_table_sent(&r.table, &drain);
    assert_false(file_table_is_due(&r.table, FILE_FOR_SITE));
    file_table_done(&r.table);
    put_text("out", "22");
}

/* A list that did not arrive is due again, and none besides. */
static void what_did_not_arrive_is_sent_again(void **state)
{
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf again = STRBUF_INIT;
    struct file_drain drain = drain_of(FILE_FOR_SITE, NS_PER_S);
    struct reading r;
    (void)state;
    (void)read_all(&r, "mine");
    drain.bytes_max = 120; /* one file */
    file_table_drain(&r.table, &drain, &first);
    assert_true(first.size > 0 && first.size <= 120);
    file_table_sent(&r.table, &drain);
    file_table_drain(&r.table, &drain, &list);
    file_table_again(&r.table, FILE_FOR_SITE);
    size_t lists = 0;
    bool has_come = false;
    for (;;) {
        file_table_drain(&r.table, &drain, &again);
        if (again.size == 0)
            break;
        file_table_sent(&r.table, &drain);
        lists++;
        has_come |= span_eq(strbuf_span(&again), strbuf_span(&list));
        assert_false(span_eq(strbuf_span(&again), strbuf_span(&first)));
    }
    assert_true(has_come);
    assert_int_equal(lists, r.table.count - 1);
    file_table_done(&r.table);
}

/* Of a path that is a hash no word helps to find the file. */
static void a_hash_has_a_version_alone(void **state)
{
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    const struct file_drain drain = drain_of(FILE_FOR_SITE, NS_PER_S);
    struct reading r;
    struct span rest, text;
    size_t versions = 0;
    (void)state;
    (void)read_all(&r, "mine");
    file_table_drain(&r.table, &drain, &list);
    rest = strbuf_span(&list);
    while (rest.size > 0) {
        struct job_file file;
        (void)span_cut(&rest, '\t', &text);
        assert_int_equal(job_file_parse(text, &file), 0);
        assert_int_equal(file.name.data[0], '#');
        assert_int_equal(file.size, -1);
        assert_int_equal(file.mtime_s, 0);
        assert_int_equal(file.build_id.size, 0);
        versions += file.version.size == 32;
    }
    assert_int_equal(versions, r.table.count);
    file_table_done(&r.table);
}

static void what_has_no_place_is_counted(void **state)
{
    struct reading r;
    AUTO(strbuf_done) struct strbuf list = STRBUF_INIT;
    const struct file_drain drain = drain_of(FILE_FOR_SESSION, NS_PER_S);
    size_t taken = 0, cuts = 0;
    (void)state;
    (void)read_all(&r, "mine");
    for (int i = 0; i < FILE_TABLE_MAX + 5; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "/x/%d", i);
        const struct file_found found = { JOB_FILE_READ, span_of(path), 1, 1, 1 };
        (void)file_table_add(&r.table, &found);
    }
    assert_int_equal(r.table.count, FILE_TABLE_MAX);
    assert_true(r.table.cut >= 5);
    for (;;) {
        file_table_drain(&r.table, &drain, &list);
        if (list.size == 0)
            break;
        file_table_sent(&r.table, &drain);
        struct span rest = strbuf_span(&list), text;
        while (rest.size > 0) {
            struct job_file file;
            (void)span_cut(&rest, '\t', &text);
            assert_int_equal(job_file_parse(text, &file), 0);
            taken += job_file_is_one(&file);
            cuts += file.kind == JOB_FILE_MORE;
        }
        assert_true(list.size <= 4000);
    }
    assert_int_equal(taken, FILE_TABLE_MAX);
    assert_true(cuts >= 1);
    file_table_done(&r.table);
}

static void a_name_is_shown_or_hashed(void **state)
{
    struct path_names names = { .home = "/home/eva", .prefixes = "/p/one:/p/two/" };
    static const struct {
        const char *path;
        bool is_shown;
    } paths[] = {
        { "/usr/lib/x", true },   { "/usr", true },          { "/usrx", false },
        { "/home/eva/in", true }, { "/home/evan/x", false }, { "/p/one", true },
        { "/p/two/x", true },     { "/p/three", false },     { "/", false },
        { "/etc/passwd", false },
    };
    AUTO(strbuf_done) struct strbuf first = STRBUF_INIT;
    AUTO(strbuf_done) struct strbuf second = STRBUF_INIT;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        assert_int_equal(path_is_shown(&names, span_of(paths[i].path)),
                         paths[i].is_shown);
    path_name_print(&names, SPAN("/p/three"), &first);
    path_name_print(&names, SPAN("/p/three"), &second);
    assert_string_equal(strbuf_text(&first), strbuf_text(&second));
    assert_int_equal(first.size, 33);
    names.key[0] = 1; /* another user's */
    strbuf_clear(&second);
    path_name_print(&names, SPAN("/p/three"), &second);
    assert_string_not_equal(strbuf_text(&first), strbuf_text(&second));
}

static void a_job_is_that_of_slurm(void **state)
{
    static const struct {
        const char *text, *job;
    } texts[] = {
        { "0::/system.slice/slurmstepd.scope/job_7/step_0/user\n",
          "/system.slice/slurmstepd.scope/job_7" },
        { "3:cpu:/slurm_n1/uid_5/job_12/step_batch\n0::/\n", "/slurm_n1/uid_5/job_12" },
        { "0::/user.slice/job_7\n", "" },
        { "0::/slurm/job_x\n", "" },
        { "", "" },
        { ":::", "" },
        { "slurm", "" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_true(span_is(run_job_of_cgroup(span_of(texts[i].text)), texts[i].job));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_its_processes),
        cmocka_unit_test(what_is_known_is_sent_once),
        cmocka_unit_test(what_did_not_arrive_is_sent_again),
        cmocka_unit_test(a_hash_has_a_version_alone),
        cmocka_unit_test(what_has_no_place_is_counted),
        cmocka_unit_test(a_name_is_shown_or_hashed),
        cmocka_unit_test(a_job_is_that_of_slurm),
    };
    return cmocka_run_group_tests(tests, make_tree, scratch_remove);
}
