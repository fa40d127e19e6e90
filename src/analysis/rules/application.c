/* SPDX-License-Identifier: Apache-2.0 */
/* application - which program a job ran, and what that was recognised by. */
#include "analysis/rules/application.h"

#include "base/span.h"

#include <string.h>

#define TEXT_BYTES_MAX 4096 /* of evidence; the rest is not looked at */
#define PATTERN_BYTES_MAX 255

/* ---- programs that are built in ---- */

static const struct known {
    const char *name;
    const char *executables[10];
} known[] = {
    { "GROMACS", { "gmx", "gmx_*", "mdrun", "mdrun_*" } },
    { "LAMMPS", { "lmp", "lmp_*", "lammps" } },
    { "VASP", { "vasp", "vasp_*", "vasp.*" } },
    { "OpenFOAM",
      { "simpleFoam", "pimpleFoam", "pisoFoam", "icoFoam", "interFoam", "rhoSimpleFoam",
        "rhoPimpleFoam", "snappyHexMesh", "potentialFoam", "buoyantPimpleFoam" } },
    { "Quantum ESPRESSO", { "pw.x", "ph.x", "cp.x", "neb.x", "pp.x", "projwfc.x" } },
    { "WRF", { "wrf.exe" } },
    { "CP2K", { "cp2k", "cp2k.popt", "cp2k.psmp", "cp2k.sopt", "cp2k.ssmp" } },
    { "NAMD", { "namd2", "namd3", "namd2_*", "namd3_*" } },
    { "Nek5000", { "nek5000" } },
    { "NekRS", { "nekrs", "nekrs-bin" } },
    { "Amber", { "pmemd", "pmemd.*", "sander", "sander.MPI" } },
    { "NWChem", { "nwchem" } },
    { "ABINIT", { "abinit" } },
    { "SIESTA", { "siesta" } },
    { "Gaussian", { "g09", "g16" } },
    { "CESM", { "cesm.exe" } },
    { "E3SM", { "e3sm.exe" } },
    { "E3SM I/O kernel", { "e3sm_io", "e3sm_io.exe" } },
    { "HPL", { "xhpl" } },
    { "HPCG", { "xhpcg" } },
    { "IOR", { "ior", "IOR" } },
    { "mdtest", { "mdtest" } },
    { "mpi-io-test", { "mpi-io-test" } },
    { "MATLAB", { "MATLAB", "matlab" } },
    { "R", { "R", "Rscript" } },
    { "Julia", { "julia" } },
    { "Python",
      { "python", "python2", "python3", "python2.?", "python3.?", "python3.??",
        "ipython", "ipython3" } },
};

/* What runs the script that comes next. */
static const char *const interpreters[] = {
    "python",   "python2", "python3", "python2.?", "python3.?", "python3.??", "ipython",
    "ipython3", "Rscript", "julia",   "perl",      "bash",      "sh",
};

/* ---- patterns ---- */

bool application_pattern_matches(struct span text, const char *pattern)
{
    const char *star = NULL; /* the last one, and where its text ends */
    size_t at = 0, star_at = 0;
    while (at < text.size) {
        if (*pattern == '*') {
            star = pattern++;
            star_at = at;
        } else if (*pattern && (*pattern == '?' || *pattern == text.data[at])) {
            pattern++;
            at++;
        } else if (star) {
            pattern = star + 1;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static struct span last_part(struct span path)
{
    size_t from = path.size;
    while (from > 0 && path.data[from - 1] != '/')
        from--;
    return span_skip(path, from);
}

static struct span evidence_span(const char *text)
{
    struct span s = span_of(text);
    if (s.size > TEXT_BYTES_MAX)
        s.size = TEXT_BYTES_MAX;
    return s;
}

static bool path_matches(const char *path, const char *pattern)
{
    struct span s = evidence_span(path);
    return application_pattern_matches(strchr(pattern, '/') ? s : last_part(s),
                                       pattern);
}

/* ---- evidence ---- */

static bool is_interpreter(struct span path)
{
    for (size_t i = 0; i < COUNT_OF(interpreters); i++)
        if (application_pattern_matches(last_part(path), interpreters[i]))
            return true;
    return false;
}

/* The first argument that is no option, of "python3 -u train.py"; what -m names is a
 * module, and -c has no script. */
static const char *script_of(const char *command, struct arena *arena)
{
    struct span rest = command ? evidence_span(command) : (struct span){ 0 };
    struct span word;
    if (rest.size == 0 || !span_cut(&rest, ' ', &word) || !is_interpreter(word))
        return NULL;
    while (rest.size > 0) {
        (void)span_cut(&rest, ' ', &word);
        if (span_is(word, "-c"))
            return NULL;
        if (span_is(word, "-m"))
            continue;
        if (word.size > 0 && word.data[0] != '-')
            return arena_dup(arena, word);
    }
    return NULL;
}

static const char *library_find(const struct job_evidence_of *of, const char *pattern)
{
    for (int layer = 0; layer < LOG_LAYERS; layer++) {
        const char *name = log_layer_name((enum log_layer)layer);
        if (job_has_layer(of, (enum log_layer)layer) &&
            application_pattern_matches(span_of(name), pattern))
            return name;
    }
    return NULL;
}

struct texts {
    const struct job_evidence_of *of;
    const char *text[APPLICATION_EVIDENCE_COUNT];
};

/* What the pattern matches; NULL: nothing. */
static const char *evidence_matches(const struct texts *t,
                                    enum application_evidence evidence,
                                    const char *pattern)
{
    const char *text = t->text[evidence];
    if (evidence == APPLICATION_LIBRARY)
        return library_find(t->of, pattern);
    if (!text)
        return NULL;
    bool is_path = evidence == APPLICATION_EXECUTABLE || evidence == APPLICATION_SCRIPT;
    bool is_match = is_path ? path_matches(text, pattern)
                            : application_pattern_matches(evidence_span(text), pattern);
    return is_match ? text : NULL;
}

static bool rule_matches(const struct application_rule *rule, const struct texts *t,
                         struct application_match *ret)
{
    struct application_match m = { .name = rule->title ? rule->title : rule->name };
    for (int e = 0; e < APPLICATION_EVIDENCE_COUNT; e++) {
        const struct config_list *patterns = &rule->patterns[e];
        for (size_t i = 0; i < patterns->count && !m.by[e].value; i++) {
            m.by[e].value =
                evidence_matches(t, (enum application_evidence)e, patterns->items[i]);
            m.by[e].pattern = patterns->items[i];
        }
        if (patterns->count > 0 && !m.by[e].value)
            return false;
    }
    *ret = m;
    return true;
}

void application_recognise(const struct application_rule *rules, size_t count,
                           const struct job_evidence_of *of, struct arena *arena,
                           struct application_match *ret)
{
    struct texts t = { .of = of };
    t.text[APPLICATION_EXECUTABLE] = job_executable(of);
    t.text[APPLICATION_COMMAND] = job_command(of);
    t.text[APPLICATION_SCRIPT] = script_of(t.text[APPLICATION_COMMAND], arena);
    t.text[APPLICATION_JOB_NAME] = job_name_of(of);
    *ret = (struct application_match){ 0 };
    for (size_t i = 0; i < count; i++)
        if (rule_matches(&rules[i], &t, ret))
            return;
    const char *path = t.text[APPLICATION_EXECUTABLE];
    for (size_t i = 0; path && i < COUNT_OF(known); i++)
        for (size_t p = 0; p < COUNT_OF(known[i].executables); p++) {
            const char *pattern = known[i].executables[p];
            if (!pattern || !path_matches(path, pattern))
                continue;
            ret->name = known[i].name;
            ret->by[APPLICATION_EXECUTABLE].value = path;
            ret->by[APPLICATION_EXECUTABLE].pattern = pattern;
            return;
        }
}

/* ---- configuration ---- */

struct application_opts {
    const char *title;
    struct config_list patterns[APPLICATION_EVIDENCE_COUNT];
};

#define PATTERNS(evidence) offsetof(struct application_opts, patterns[evidence])

static const struct config_key keys[] = {
    { "title", CONFIG_TEXT, offsetof(struct application_opts, title), NULL, 0, 0,
      "What it is called on pages; default: NAME." },
    { "executable", CONFIG_LIST, PATTERNS(APPLICATION_EXECUTABLE), NULL, 0, 0,
      "Pattern (* and ?) of its program: gmx_*, or with a / of the whole path; may be "
      "repeated." },
    { "command", CONFIG_LIST, PATTERNS(APPLICATION_COMMAND), NULL, 0, 0,
      "Pattern of the whole command line in its Darshan log." },
    { "script", CONFIG_LIST, PATTERNS(APPLICATION_SCRIPT), NULL, 0, 0,
      "Pattern of the script that its interpreter (Python, R, Julia, Perl, a shell) "
      "runs." },
    { "library", CONFIG_LIST, PATTERNS(APPLICATION_LIBRARY), NULL, 0, 0,
      "Pattern of an I/O library of which its Darshan log has records: HDF5*, "
      "PnetCDF*, "
      "MPI-IO." },
    { "job_name", CONFIG_LIST, PATTERNS(APPLICATION_JOB_NAME), NULL, 0, 0,
      "Pattern of the job's name, which its owner chooses: often that of its script." },
};

const struct config_section application_config_section = {
    "application",
    true,
    keys,
    COUNT_OF(keys),
    "A program of jobs, recognised by all kinds of patterns that are given.",
};

const char *application_evidence_name(enum application_evidence evidence)
{
    static const char *const names[APPLICATION_EVIDENCE_COUNT] = {
        [APPLICATION_EXECUTABLE] = "executable", [APPLICATION_COMMAND] = "command",
        [APPLICATION_SCRIPT] = "script",         [APPLICATION_LIBRARY] = "library",
        [APPLICATION_JOB_NAME] = "job_name",
    };
    return names[evidence];
}

static int refused(const struct config *config, const char *name, const char *key,
                   const char *why, struct err *err)
{
    AUTO(strbuf_done) struct strbuf where = STRBUF_INIT;
    config_print_key_line(config, "application", name, key, &where);
    return err_set(err, EINVAL, "%s: [application %s] %s: %s", strbuf_text(&where),
                   name, key, why);
}

static int pattern_check(const struct config *config, const char *name, const char *key,
                         const char *pattern, struct err *err)
{
    if (strspn(pattern, "*?") == strlen(pattern))
        return refused(config, name, key, "a pattern with a letter is wanted", err);
    return strlen(pattern) > PATTERN_BYTES_MAX
               ? refused(config, name, key, "a pattern has at most 255 bytes", err)
               : 0;
}

int application_rule_read(const struct config *config, const char *name,
                          struct application_rule *ret, struct err *err)
{
    struct application_opts opts = { 0 };
    size_t count = 0;
    int rc = config_fill(config, "application", name, &opts, err);
    for (int e = 0; rc == 0 && e < APPLICATION_EVIDENCE_COUNT; e++) {
        const struct config_list *list = &opts.patterns[e];
        const char *key = application_evidence_name((enum application_evidence)e);
        count += list->count;
        for (size_t i = 0; rc == 0 && i < list->count; i++)
            rc = pattern_check(config, name, key, list->items[i], err);
    }
    if (rc == 0 && count == 0)
        rc = refused(config, name, "executable",
                     "a pattern is wanted: executable, command, script, library or "
                     "job_name",
                     err);
    if (rc < 0)
        return rc;
    *ret = (struct application_rule){ .name = name, .title = opts.title };
    memcpy(ret->patterns, opts.patterns, sizeof ret->patterns);
    return 0;
}
