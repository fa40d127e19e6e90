/* SPDX-License-Identifier: Apache-2.0 */
/* test_application - tests of application. */
#include "analysis/rules/rules.h"
#include "base/span.h"
#include "base/test/testing.h"

#include <stdlib.h>
#include <string.h>

static void patterns_match_the_whole_of_a_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *pattern;
        bool want;
    } cases[] = {
        { "gmx_mpi", "gmx_*", true },
        { "gmx", "gmx_*", false },
        { "gmx_mpi", "gmx", false },
        { "a", "?", true },
        { "", "?", false },
        { "", "*", true },
        { "abcabd", "*abd", true },
        { "abcabd", "a*b*d", true },
        { "abcabc", "*abd", false },
        { "x[1]", "x[1]", true },
        { "python3.11", "python3.??", true },
        { "pw.x", "pw.x", true },
        { "pwXx", "pw.x", false },
        { "aXbX", "a*X", true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (application_pattern_matches(span_of(cases[i].text), cases[i].pattern) !=
            cases[i].want)
            fail_msg("'%s' and '%s'", cases[i].text, cases[i].pattern);
}

/* Time is the product of both sizes: no power of the number of stars. */
static void a_hostile_text_costs_no_more_than_its_size(void **state)
{
    (void)state;
    char text[4096];
    memset(text, 'a', sizeof text);
    assert_false(application_pattern_matches((struct span){ text, sizeof text },
                                             "*a*a*a*a*a*a*a*a*a*a*a*b"));
}

static void recognise(const char *rules, const char *app, const char *command,
                      const char *job_name, struct arena *arena,
                      struct application_match *ret, struct config **config)
{
    static struct job_assessment page;
    static struct job_context facts;
    static struct job_identity who;
    static struct application_rule rule[4];
    struct err err = { 0 };
    size_t count = 0;
    memset(&page, 0, sizeof page);
    job_context_init(&facts);
    who = facts.identity;
    who.name = job_name;
    facts.facts.app = app;
    page.record = &who;
    page.has_run = command != NULL;
    page.run.layer_records[LAYER_MPIIO] = command ? 1 : 0;
    (void)snprintf(page.run.exe, sizeof page.run.exe, "%s", command ? command : "");
    assert_int_equal(
        config_parse("c", span_of(rules), &application_config_section, 1, config, &err),
        0);
    for (; count < config_name_count(*config, "application"); count++)
        if (application_rule_read(*config, config_name(*config, "application", count),
                                  &rule[count], &err) < 0)
            fail_msg("%s", err.text);
    const struct job_evidence_of of = { .assessment = &page, .facts = &facts };
    application_recognise(rule, count, &of, arena, ret);
    job_context_done(&facts);
}

static void programs_are_known_by_their_executable_alone(void **state)
{
    (void)state;
    static const char chain[] =
        "[application chain]\ntitle = Chain\njob_name = chain*\n";
    static const char train[] =
        "[application t]\ntitle = Training\nexecutable = python*\nscript = train*.py\n";
    static const char both[] =
        "[application b]\nexecutable = sim\nexecutable = sim_*\nlibrary = MPI-IO\n";
    static const struct {
        const char *rules, *app, *command, *job_name, *want;
        enum application_evidence by;
    } cases[] = {
        { "", "/sw/bin/gmx_mpi", NULL, NULL, "GROMACS", APPLICATION_EXECUTABLE },
        { "", "lmp", NULL, NULL, "LAMMPS", APPLICATION_EXECUTABLE },
        { "", "/usr/bin/python3.11", NULL, NULL, "Python", APPLICATION_EXECUTABLE },
        { "", "/home/a/run", NULL, "gmx", NULL, 0 },
        { "", NULL, NULL, "vasp_std", NULL, 0 },
        { "", "/sw/gmx/bin/other", NULL, NULL, NULL, 0 },
        { "", "/home/a/vasp_std.sh/x", NULL, NULL, NULL, 0 },
        { chain, "/home/a/run", NULL, "chain_1", "Chain", APPLICATION_JOB_NAME },
        { chain, "lmp", NULL, "other", "LAMMPS", APPLICATION_EXECUTABLE },
        { train, "python3", "python3 -u ./a/train_7.py x", NULL, "Training",
          APPLICATION_SCRIPT },
        { train, "python3", "python3 -c train_7.py", NULL, "Python",
          APPLICATION_EXECUTABLE },
        { train, "python3", NULL, NULL, "Python", APPLICATION_EXECUTABLE },
        { both, "sim_x", "sim_x", NULL, "b", APPLICATION_LIBRARY },
        { both, "sim_x", NULL, NULL, NULL, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(config_free) struct config *config = NULL;
        struct application_match m;
        struct arena arena;
        arena_init(&arena, 1 << 16);
        recognise(cases[i].rules, cases[i].app, cases[i].command, cases[i].job_name,
                  &arena, &m, &config);
        const char *want = cases[i].want;
        if (!m.name != !want || (want && strcmp(m.name, want) != 0) ||
            (want && !m.by[cases[i].by].value))
            fail_msg("case %zu: %s", i, m.name ? m.name : "none");
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_the_whole_of_a_text),
        cmocka_unit_test(a_hostile_text_costs_no_more_than_its_size),
        cmocka_unit_test(programs_are_known_by_their_executable_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
