/* SPDX-License-Identifier: Apache-2.0 */
/* test_script - what Lua plugins can do, and how each escape and hang ends.
 *
 * Here is no process around them: what does not end by the budget hangs this test, but
 * for the few that only the timer ends, which call script_stop() as the host does.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/span.h"
#include "base/test/testing.h"
#include "plugin/lua/script.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define HEAD                                                                  \
    "plugin{name='p',version='1',metrics={{'m','unit'},{'c','n','counter'}}," \
    "events={{'e','warning'}},health={'fan'},reads={'/proc/loadavg'}}\n"
#define SOURCE(text) HEAD "function source(t)\n" text "\nend"

static struct frame yields;
static struct script *stopped;

static struct frame *frame_for(void *arg, size_t size)
{
    (void)arg;
    if (sizeof yields.data - yields.size < size)
        yields.size = 0;
    return &yields;
}

static const struct script_limits limits = { 1000000, (size_t)1 << 20 };

static struct script *loaded(const char *text)
{
    const struct script_out out = { frame_for, NULL };
    struct script *s = NULL;
    struct plugin_manifest m;
    struct script_result result;
    struct err err = { 0 };
    yields.size = 0;
    assert_int_equal(script_new(&limits, 0, &out, &s), 0);
    int rc = script_load(s, span_of(text), &m, &result, &err);
    if (rc < 0)
        fail_msg("%s: %s", text, err.text);
    return s;
}

static void source_call(struct script *s, int64_t t_ns, struct script_result *ret)
{
    const struct script_call call = { PLUGIN_SOURCE, 1, t_ns, NULL, 0 };
    script_call(s, &call, ret);
}

/* ---- what is allowed ---- */

static void a_plugin_reads_and_yields(void **state)
{
    AUTO(script_free)
    struct script *s =
        loaded(SOURCE("local one = read('/proc/loadavg'):match('^(%S+)')\n"
                      "sample('m', tonumber(one), {type='socket',id='0'})\n"
                      "event('e', 'it is \\27 ' .. one)\n"
                      "health('fan', 'degraded', 'slow')\n"
                      "contribute('x', 'sum', 2)\n"
                      "print('time', t.time)"));
    struct script_result result;
    char path[] = "/tmp/baro-script.XXXXXX";
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, "0.75 1 2\n", 9) == 9);
    (void)unlink(path);
    script_set_files(s, &(struct script_file){ "/proc/loadavg", fd }, 1);
    source_call(s, NS_PER_S, &result);
    assert_string_equal(result.text, "");
    assert_int_equal(result.outcome, FRAME_FINE);
    static const enum frame_type want[] = { FRAME_SAMPLE, FRAME_EVENT, FRAME_HEALTH,
                                            FRAME_CONTRIBUTE, FRAME_NOTE };
    struct frame_reader reader = { yields.data, yields.data + yields.size, false };
    struct frame_item record;
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        assert_true(frame_next(&reader, &record));
        assert_int_equal(record.type, want[i]);
        if (want[i] == FRAME_SAMPLE) {
            assert_int_equal(frame_get_u16(&record.payload), 0);
            assert_true(frame_get_f64(&record.payload) == 0.75);
            assert_true(span_is(frame_get_text(&record.payload), "socket"));
        }
        if (want[i] == FRAME_EVENT) {
            (void)frame_get_u16(&record.payload);
            assert_true(span_is(frame_get_text(&record.payload), "it is ? 0.75"));
        }
    }
    assert_false(frame_next(&reader, &record));
}

static void lua_works_as_usual(void **state)
{
    static const char *const lines[] = {
        "assert(('abc'):gsub('%w', '%0%0') == 'aabbcc')",
        "assert(('hello world'):gsub('o', {o='0'}) == 'hell0 w0rld')",
        "assert(('abc'):gsub('', '-') == '-a-b-c-')",
        "assert(('a,b,,c'):gsub(',', ';', 2) == 'a;b;,c')",
        "assert(select(2, ('abc'):gsub('x*', '-')) == 4)",
        "assert(('abc'):gsub('b', function(x) return x:upper() end) == 'aBc')",
        "assert(('k=v'):gsub('(%w)=(%w)', '%2=%1') == 'v=k')",
        "local n = 0 for k, v in ('a=1,b=2'):gmatch('(%w)=(%w)') do n = n + v end "
        "assert(n == 3)",
        "local n = 0 for _ in ('abc'):gmatch('') do n = n + 1 end assert(n == 4)",
        "assert(select('#', ('x'):find('y')) == 1 and ('x'):find('y') == nil)",
        "assert(('a.b'):find('.', 1, true) == 2)",
        "assert(('abc'):find('b', -2) == 2 and ('abc'):find('a', -2) == nil)",
        "assert(('x'):rep(3, ',') == 'x,x,x')",
        "assert(table.concat({1,2,3}, '-') == '1-2-3')",
        "local t = {3,1,2} table.sort(t) assert(t[1] == 1 and t[3] == 3)",
        "local t = {1,3} table.insert(t, 2, 2) assert(#t == 3 and table.remove(t) == "
        "3)",
        "assert(select('#', table.unpack({1,2,3})) == 3)",
        "assert(math.floor(3.7) == 3 and string.format('%.1f', 2.25) == '2.2')",
        "local t = setmetatable({}, {__index = function(_, k) return k .. '!' end}) "
        "assert(t.x == 'x!')",
        "local ok, e = pcall(error, 'x') assert(not ok and e == 'x')",
        "assert(rate('k', 5) == nil)",
        "assert(read('/etc/passwd') == nil and #files() == 0)",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char text[1024];
        struct script_result result;
        (void)snprintf(text, sizeof text, SOURCE("%s"), lines[i]);
        AUTO(script_free) struct script *s = loaded(text);
        source_call(s, NS_PER_S, &result);
        if (result.outcome != FRAME_FINE)
            fail_msg("%s: %s", lines[i], result.text);
    }
}

static void rate_is_an_increase_a_second(void **state)
{
    AUTO(script_free)
    struct script *s =
        loaded(HEAD "n = 0\nfunction source(t) n = n + 10 "
                    "local r = rate('x', n) if r then sample('m', r) end "
                    "end");
    struct script_result result;
    (void)state;
    source_call(s, NS_PER_S, &result);
    assert_int_equal(yields.size, 0);
    source_call(s, 3 * NS_PER_S, &result);
    struct frame_reader reader = { yields.data, yields.data + yields.size, false };
    struct frame_item record;
    assert_true(frame_next(&reader, &record));
    (void)frame_get_u16(&record.payload);
    assert_true(frame_get_f64(&record.payload) == 5);
}

/* ---- what is not there ---- */

static void what_leads_out_is_not_there(void **state)
{
    static const char *const names[] = {
        "io",        "os",          "debug",    "package",     "require",
        "load",      "loadstring",  "loadfile", "dofile",      "collectgarbage",
        "coroutine", "string.dump", "utf8",     "string.pack", "string.unpack",
        "warn",      "table.move",  "_ENV.io",  "_G.os",       "jit",
        "xpcall",    "setfenv",     "getfenv",  "newproxy",    "module",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char text[512];
        struct script_result result;
        (void)snprintf(text, sizeof text, SOURCE("assert(%s == nil)"), names[i]);
        AUTO(script_free) struct script *s = loaded(text);
        source_call(s, 0, &result);
        if (result.outcome != FRAME_FINE)
            fail_msg("%s is there", names[i]);
    }
}

static void what_is_refused_fails(void **state)
{
    static const struct {
        const char *line, *why;
    } cases[] = {
        { "setmetatable({}, {__gc = function() while true do end end})", "__gc" },
        { "setmetatable({}, {__gc = true})", "__gc" },
        { "local x <close> = setmetatable({}, {__close = function() end})", "__close" },
        { "setmetatable({}, {__mode = 'k'})", "__mode" },
        { "getmetatable('').__index = nil", "boolean" },
        { "setmetatable('x', {})", "table expected" },
        { "rawset(getmetatable(''), '__index', {})", "table expected" },
        { "sample('none', 1)", "not in the manifest" },
        { "sample('m', 1/0)", "finite" },
        { "sample('m', 0/0)", "finite" },
        { "sample('m', 1, {type='a b'})", "printable" },
        { "sample('m', 1, {id=('x'):rep(65)})", "printable" },
        { "event('none')", "not in the manifest" },
        { "health('none', 'up')", "not in the manifest" },
        { "health('fan', 'sideways')", "invalid option" },
        { "contribute('x', 'none', 1)", "invalid merge" },
        { "contribute('a b', 'sum', 1)", "letters" },
        { "contribute('', 'sum', 1)", "letters" },
        { "contribute('a\\0', 'sum', 1)", "letters" },
        { "contribute(('x'):rep(65), 'sum', 1)", "letters" },
        { "sample('m', 1, {id='x'})", "wants a type" },
        { "sample('m', 1, {type='node', subid='x'})", "wants a type" },
        { "plugin{name='q',version='1'}", "once" },
        { "('x'):rep(1000001)", "million" },
        { "(''):rep(1 << 53)", "million" },
        { "table.concat({}, '', 1, 1 << 53)", "elements" },
        { "table.unpack({}, 1, 1 << 53)", "elements" },
        { "table.insert(setmetatable({}, {__len = function() return 1 << 53 end}), 1, "
          "2)",
          "metatable" },
        { "table.sort(setmetatable({}, {__len = function() return 1 << 30 end}))",
          "metatable" },
        { "table.concat(setmetatable({}, {__index = tostring, __tostring = "
          "table.concat}), '', 1, 99)",
          "metatable" },
        { "('x'):find('[')", "malformed" },
        { "string.format('%1000d', 1)", "invalid" },
        { "error(setmetatable({}, {__tostring = function() while true do end end}))",
          "error" },
        { "error({})", "error" },
        { "local f f = function() return f() + 1 end f()", "" },
        { "local s = 'x' return s.x.y", "index" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1024];
        struct script_result result;
        (void)snprintf(text, sizeof text, SOURCE("%s"), cases[i].line);
        AUTO(script_free) struct script *s = loaded(text);
        source_call(s, 0, &result);
        if (result.outcome == FRAME_FINE || !strstr(result.text, cases[i].why))
            fail_msg("%s: %d '%s'", cases[i].line, result.outcome, result.text);
        source_call(s, 0, &result); /* and the state is still one */
        assert_int_not_equal(result.outcome, FRAME_FINE);
    }
}

/* ---- what does not end by itself ---- */

#define PCALL_BOMB "while true do pcall(function() while true do end end) end"

static const struct {
    const char *line;
    enum frame_outcome outcome;
} over_budget[] = {
    { "while true do end", FRAME_OVER_INSTRUCTIONS },
    { "local function f() return f() end f()", FRAME_OVER_INSTRUCTIONS },
    { PCALL_BOMB, FRAME_OVER_INSTRUCTIONS },
    { "pcall(function() " PCALL_BOMB " end) " PCALL_BOMB, FRAME_OVER_INSTRUCTIONS },
    { "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) "
      "while true do pcall(function() return t[1] end) end",
      FRAME_OVER_INSTRUCTIONS },
    { "local t = setmetatable({}, {__eq = function() while true do end end}) "
      "return t == setmetatable({}, getmetatable(t))",
      FRAME_OVER_INSTRUCTIONS },
    { "goto a ::a:: goto a", FRAME_OVER_INSTRUCTIONS },
    { "for i = 1, math.maxinteger do end", FRAME_OVER_INSTRUCTIONS },
    { "local s = ('a'):rep(44) while true do pcall(string.find, s, "
      "('a?'):rep(22) .. ('a'):rep(22) .. 'b') end",
      FRAME_OVER_INSTRUCTIONS },
    { "local s = ('a'):rep(600) while true do pcall(string.match, s, '.-.-.-.-b') "
      "end",
      FRAME_OVER_INSTRUCTIONS },
    { "while true do (('a'):rep(60000)):gsub('.-b', '') end", FRAME_OVER_INSTRUCTIONS },
    { "for _ in (('a'):rep(60000)):gmatch('.-b') do end while true do end",
      FRAME_OVER_INSTRUCTIONS },
    { "local a = ('a'):rep(200000) while true do a:find(('a'):rep(99999) .. 'b', "
      "1, "
      "true) end",
      FRAME_OVER_INSTRUCTIONS },
    { "while true do local s = ('x'):rep(100000) end", FRAME_OVER_INSTRUCTIONS },
    { "local s = ('x'):rep(100000) while true do local t = s .. 'y' end",
      FRAME_OVER_INSTRUCTIONS },
    { "local t = {} for i = 1, 20000 do t[i] = 20000 - i end while true do "
      "table.sort(t) end",
      FRAME_OVER_INSTRUCTIONS },
    { "while true do string.format('%99.99f', 1e308) end", FRAME_OVER_INSTRUCTIONS },
    { "while true do print('x') end", FRAME_OVER_INSTRUCTIONS },
    { "while true do sample('m', 1) end", FRAME_OVER_INSTRUCTIONS },
    { "while true do read('/proc/loadavg') end", FRAME_OVER_INSTRUCTIONS },
    { "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
      FRAME_OVER_MEMORY },
    { "while true do pcall(string.rep, 'x', 1000000, 'yy') end",
      FRAME_OVER_INSTRUCTIONS },
    { "while true do pcall(function() local t = {} while true do t[#t + 1] = {} "
      "end "
      "end) end",
      FRAME_OVER_MEMORY },
    { "local s = 'x' while true do s = s .. s end", FRAME_OVER_MEMORY },
    { "local f f = function(...) return f(1, ...) end f()", FRAME_OVER_MEMORY },
    { "local function f() local ok = pcall(f) return ok end while true do f() end",
      FRAME_OVER_INSTRUCTIONS },
    { "local t = {} for i = 1, 1e9 do t[i] = i end", FRAME_OVER_MEMORY },
};

static void a_call_over_its_budget_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(over_budget); i++) {
        char text[1024];
        struct script_result result;
        (void)snprintf(text, sizeof text, SOURCE("%s"), over_budget[i].line);
        AUTO(script_free) struct script *s = loaded(text);
        int64_t begin_ns = clock_cpu_ns();
        source_call(s, 0, &result);
        int64_t cpu_ns = clock_cpu_ns() - begin_ns;
        if (result.outcome < FRAME_OVER_INSTRUCTIONS)
            fail_msg("%s: %d '%s'", over_budget[i].line, result.outcome, result.text);
        if (over_budget[i].outcome == FRAME_OVER_MEMORY &&
            result.outcome != FRAME_OVER_MEMORY)
            fail_msg("%s: %s", over_budget[i].line, frame_outcome_name(result.outcome));
        if (cpu_ns > 20 * NS_PER_S)
            fail_msg("%s: %lld ms", over_budget[i].line,
                     (long long)(cpu_ns / NS_PER_MS));
        assert_in_range(result.memory_peak, 1, limits.memory_bytes);
    }
}

/* As many as a control node passes for this memory, in a row: garbage piles up. */
static void inputs_are_no_part_of_the_budget(void **state)
{
    static const struct script_limits small = { 1000, 65536 };
    static struct script_input inputs[49];
    static char names[COUNT_OF(inputs)][80];
    const struct script_out to = { frame_for, NULL };
    struct plugin_manifest m;
    struct script_result result = { 0 };
    struct script *s;
    struct err err = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(inputs); i++) {
        (void)snprintf(names[i], sizeof names[i], "n%070zu", i);
        inputs[i].name = span_of(names[i]);
    }
    assert_int_equal(script_new(&small, 0, &to, &s), 0);
    const char *text = "plugin{name='x',version='1'}\n"
                       "function sink(t, inputs) assert(#inputs == 49) end\n";
    assert_int_equal(script_load(s, span_of(text), &m, &result, &err), 0);
    const struct script_call call = { PLUGIN_SINK, 1, 0, inputs, COUNT_OF(inputs) };
    for (int i = 0; i < 50; i++) {
        script_call(s, &call, &result);
        if (result.outcome != FRAME_FINE)
            fail_msg("call %d: %d '%s'", i, result.outcome, result.text);
    }
    script_free(s);
}

static void a_plugin_is_fine_again_after_a_bad_call(void **state)
{
    AUTO(script_free)
    struct script *s =
        loaded(HEAD "n = 0\nfunction source(t) n = n + 1 "
                    "if n == 1 then " PCALL_BOMB " end "
                    "if n == 2 then local t = {} while true do t[#t+1] = "
                    "{} end end sample('m', n) end");
    struct script_result result;
    (void)state;
    source_call(s, 0, &result);
    assert_int_equal(result.outcome, FRAME_OVER_INSTRUCTIONS);
    source_call(s, 0, &result);
    assert_int_equal(result.outcome, FRAME_OVER_MEMORY);
    source_call(s, 0, &result);
    assert_int_equal(result.outcome, FRAME_FINE);
}

static void on_alarm(int signal)
{
    (void)signal;
    script_stop(stopped);
}

/* Much in C that no instruction counts: the timer ends it. */
static void the_timer_ends_what_is_slow_in_c(void **state)
{
    static const char *const lines[] = {
        "local a, b = ('x'):rep(300000) .. 'a', ('x'):rep(300000) .. 'a' "
        "while true do local c = a == b and a < b end",
        "while true do end",
    };
    const struct itimerval soon = { .it_value = { 0, 20000 } };
    const struct script_out out = { frame_for, NULL };
    (void)state;
    (void)signal(SIGALRM, on_alarm);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char text[1024];
        const struct script_limits many = { INT64_MAX / 2, (size_t)1 << 20 };
        struct plugin_manifest m;
        struct script_result result;
        (void)snprintf(text, sizeof text, SOURCE("%s"), lines[i]);
        AUTO(script_free) struct script *s = NULL;
        assert_int_equal(script_new(&many, 0, &out, &s), 0);
        assert_int_equal(script_load(s, span_of(text), &m, &result, NULL), 0);
        stopped = s;
        assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
        source_call(s, 0, &result);
        if (result.outcome != FRAME_OVER_TIME)
            fail_msg("%s: %s", lines[i], result.text);
    }
}

/* ---- loading ---- */

static void what_is_no_plugin_is_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        { "\033Lua\x54\x00", "binary" },
        { "return 1", "plugin{...}" },
        { HEAD, "no function" },
        { HEAD "function source(", "expected" },
        { HEAD "while true do end", "instructions" },
        { HEAD "while true do pcall(function() while true do end end) end",
          "instructions" },
        { HEAD "sample('m', 1)", "nothing is yielded" },
        { HEAD "local t = {} while true do t[#t+1] = ('x'):rep(1000) .. #t end",
          "memory" },
        { "plugin{name='a b',version='1'} function source() end", "name" },
        { "plugin{name='a',version='1',period=0} function source() end", "period" },
        { "plugin{name='a',version='1',reads={'etc'}} function source() end", "reads" },
        { "plugin{name='a',version='1',reads={'/a/../b'}} function source() end",
          "reads" },
        { "plugin{name='a',version='1',metrics={'x'}} function source() end",
          "metrics" },
        { "plugin{name='a',version='1',metrics={{'x','y','sum'}}} function source() "
          "end",
          "kind" },
        { "plugin{name='a',version='1',events={{'x','bad'}}} function source() end",
          "severity" },
        { "plugin{name=('x'):rep(40),version='1'} function source() end", "name" },
        { "plugin(setmetatable({}, {__index = function() while true do end end}))",
          "name" },
        { "plugin{name='a',version='1',metrics=(function() local t = {} for i = 1, 99 "
          "do "
          "t[i] = {'m' .. i} end return t end)()} function source() end",
          "more than" },
    };
    const struct script_out out = { frame_for, NULL };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO(script_free) struct script *s = NULL;
        struct plugin_manifest m;
        struct script_result result;
        struct err err = { 0 };
        assert_int_equal(script_new(&limits, 0, &out, &s), 0);
        int rc = script_load(s, span_of(cases[i].text), &m, &result, &err);
        if (rc == 0 || !strstr(err.text, cases[i].why))
            fail_msg("%s: %d '%s'", cases[i].text, rc, err.text);
    }
}

static void a_deeply_nested_text_is_refused(void **state)
{
    AUTO_FREE char *text = malloc(50001);
    const struct script_out out = { frame_for, NULL };
    AUTO(script_free) struct script *s = NULL;
    struct plugin_manifest m;
    struct script_result result;
    struct err err = { 0 };
    (void)state;
    assert_non_null(text);
    memset(text, '(', 50000);
    text[50000] = '\0';
    assert_int_equal(script_new(&limits, 0, &out, &s), 0);
    assert_int_not_equal(script_load(s, span_of(text), &m, &result, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plugin_reads_and_yields),
        cmocka_unit_test(lua_works_as_usual),
        cmocka_unit_test(rate_is_an_increase_a_second),
        cmocka_unit_test(what_leads_out_is_not_there),
        cmocka_unit_test(what_is_refused_fails),
        cmocka_unit_test(a_call_over_its_budget_ends),
        cmocka_unit_test(inputs_are_no_part_of_the_budget),
        cmocka_unit_test(a_plugin_is_fine_again_after_a_bad_call),
        cmocka_unit_test(the_timer_ends_what_is_slow_in_c),
        cmocka_unit_test(what_is_no_plugin_is_refused),
        cmocka_unit_test(a_deeply_nested_text_is_refused),
    };
    return cmocka_run_group_tests_name("script", tests, NULL, NULL);
}
