/* Schedule files: what is written is read as it was, and what is wrong in one is said with its
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/collective.h"
#include "collectives/schedule_file.h"
#include "tests/folder.h"

static int read_text(const char *text, cpm_messages *out, bool *ordered, cpm_error *e)
{
    cpm_lines lines = {0};
    int status = cpm_lines_open_text(&lines, "f", text, e);
    if (!status)
        status = cpm_schedule_read(&lines, out, ordered, e);
    cpm_lines_close(&lines);
    return status;
}

static char *text_of(const cpm_messages *m)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    assert_non_null(f);
    cpm_schedule_print(m, NULL, f);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void expect_same(const cpm_messages *a, const cpm_messages *b, const char *name)
{
    assert_int_equal(a->count, b->count);
    for (int64_t k = 0; k < a->count; k++) {
        const cpm_message *x = &a->at[k], *y = &b->at[k];
        bool same = x->from == y->from && x->to == y->to && x->combines == y->combines &&
                    !memcmp(x->round, y->round, sizeof x->round) &&
                    !memcmp(x->deferred, y->deferred, sizeof x->deferred) && x->runs == y->runs;
        if (!same || (x->runs && memcmp(a->run + x->first_run, b->run + y->first_run,
                                        (size_t)x->runs * sizeof *a->run)))
            fail_msg("%s: message %lld", name, (long long)k);
    }
}

static bool expect_written_and_read(const cpm_algorithm *a, const cpm_call *call)
{
    cpm_schedule *s = NULL;
    cpm_messages m = {0}, read = {0};
    cpm_error e = {0};
    bool ordered;
    if (a->properties & (CPM_NEEDS_NEIGHBOURS | CPM_NEEDS_GRID) ||
        cpm_schedule_create(a, call, &s, &e))
        return false;
    assert_int_equal(cpm_messages_of(s, &m, NULL), CPM_OK);
    if (call->hosts)
        assert_int_equal(cpm_messages_set_hosts(&m, call->hosts, NULL), CPM_OK);
    char *text = text_of(&m);
    if (read_text(text, &read, &ordered, &e))
        fail_msg("%s:%s of %d: %s in\n%s", a->operation, a->name, call->n, e.text, text);
    expect_same(&m, &read, a->name);
    assert_true(!call->hosts || !memcmp(m.host, read.host, (size_t)m.n * sizeof *m.host));
    free(text);
    cpm_messages_clear(&m);
    cpm_messages_clear(&read);
    cpm_schedule_free(s);
    return true;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    int tried = 0;
    for (const cpm_algorithm *a = cpm_algorithms; a->name; a++)
        for (int n = 2; n <= 8; n += 2) {
            cpm_hosts hosts = {0};
            assert_int_equal(cpm_hosts_regular(2, n / 2, n == 4, &hosts, NULL), CPM_OK);
            cpm_call call = {.n = n, .root = n / 3, .bytes = 3000, .hosts = &hosts};
            if (a->properties & CPM_TAKES_SEGMENT)
                call.with.segment = 700;
            tried += expect_written_and_read(a, &call);
            cpm_hosts_clear(&hosts);
        }
    assert_true(tried > 400);
}

static void expect_refused(const char *text, int code, const char *why)
{
    cpm_messages m = {0};
    cpm_error e = {0};
    bool ordered;
    assert_int_equal(read_text(text, &m, &ordered, &e), code);
    if (!strstr(e.text, why))
        fail_msg("'%s' is not in: %s", why, e.text);
    assert_null(m.at);
}

#define BCAST "operation bcast\nprocesses 3\nroot 0\n"

static void what_is_wrong_has_its_line(void **state)
{
    (void)state;
    expect_refused("", CPM_EPARSE, "f:1: the file ends without a line 'operation'");
    expect_refused("# x\nsecret: word\n", CPM_EPARSE, "f:2: no schedule: it does not begin with");
    expect_refused("operation bcast\nhello\n", CPM_EPARSE, "f:2: expected 'operation OP'");
    expect_refused("operation bcats\n", CPM_EPARSE, "f:1: unknown operation 'bcats'");
    expect_refused("operation neighbor_allgather\n", CPM_EPARSE, "neighbours are not read");
    expect_refused("operation bcast\nprocesses 0\n", CPM_EPARSE, "f:2: processes: '0'");
    expect_refused("operation bcast\nprocesses 3\n", CPM_EPARSE, "without a line 'root'");
    expect_refused("operation barrier\nprocesses 3\nroot 0\n", CPM_EPARSE, "f:3: a root behind");
    expect_refused(BCAST "root 0\n", CPM_EPARSE, "f:4: a second line 'root'");
    expect_refused(BCAST "0 0 -> 1 0\npieces 2\n", CPM_EPARSE, "behind the first message");
    expect_refused("operation bcast\n0 0 -> 1 0\n", CPM_EPARSE, "f:2: a message before");
    expect_refused(BCAST "0 0 -> 3 0\n", CPM_EPARSE, "f:4: '3' is none of the processes 0 to 2");
    expect_refused(BCAST "0 1 -> 1 0\n", CPM_EPARSE, "f:4: process 1 sends to itself");
    expect_refused(BCAST "0 0 -> 1 1\n", CPM_EPARSE, "f:4: '1' names no blocks");
    expect_refused(BCAST "0 0 -> 1 0.1\n", CPM_EPARSE, "f:4: '0.1' names no blocks");
    expect_refused(BCAST "x 0 -> 1 0\n", CPM_EPARSE, "f:4: expected");
    expect_refused(BCAST "0/ 0 -> 1 0\n", CPM_EPARSE, "f:4: '0/' is no round");
    expect_refused(BCAST "0 0 +> 1 0\n", CPM_EPARSE, "'+>' combines, which bcast does not");
    expect_refused(BCAST "0 0 -> 1 0\n0* 0 -> 2 0\n", CPM_EPARSE, "round 0 of process 0 is");
    expect_refused(BCAST "host 0-1\n0 0 -> 1 0\n", CPM_EPARSE, "without a host of process 2");
    expect_refused(BCAST "host 0-1\nhost 1\n", CPM_EPARSE, "f:5: process 1 is on a host already");
    expect_refused(BCAST "host 0-3\n", CPM_EPARSE, "f:4: '0-3' names no processes");
    expect_refused("operation alltoall\nprocesses 3\n0 0 -> 1 1\n", CPM_EPARSE, "FROM>TO");
    expect_refused("operation alltoall\nprocesses 1000000\n", CPM_EPARSE, "too large to be proved");
    expect_refused("operation reduce\nprocesses 3\nroot 0\npieces 2\ncontributions apart\n",
                   CPM_EPARSE, "as many pieces as processes, not 2");
}

static void what_it_does_is_proved(void **state)
{
    (void)state;
    expect_refused(BCAST "0 0 -> 1 0\n", CPM_EWRONG, "f: it does not do what bcast demands: ");
    expect_refused(BCAST "0 1 -> 2 0\n1 0 -> 1 0\n", CPM_EWRONG, "rank 1");
    expect_refused("operation allgather\nprocesses 2\n0/1 0 -> 1 0\n0/1 1 -> 0 1\n", CPM_EDEADLOCK,
                   "rank");
    expect_refused("operation reduce\nprocesses 3\nroot 0\n0 1 +> 0 0\n", CPM_EWRONG, "rank 0");
}

static void order_of_contributions(void **state)
{
    (void)state;
    static const char *const text[] = {
        "operation reduce\nprocesses 3\nroot 0\n0 1 +> 0 0\n1 2 +> 0 0\n",
        "operation reduce\nprocesses 3\nroot 0\n0 2 +> 0 0\n1 1 +> 0 0\n"};
    for (int k = 0; k < 2; k++) {
        cpm_messages m = {0};
        bool ordered = k;
        assert_int_equal(read_text(text[k], &m, &ordered, NULL), CPM_OK);
        assert_int_equal(ordered, !k);
        cpm_messages_clear(&m);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* A collective is named by a file, and told to others by the number of that file. */
static void files_are_rows(void **state)
{
    (void)state;
    const char path[] = "bcast.schedule";
    char name[CPM_COLLECTIVE_NAME], other[160];
    cpm_collective c, again;
    cpm_error e = {0}, long_one = {0}, unlike = {0}, late = {0}, none = {0};
    write_file(path, BCAST "0 0 -> 1 0\n0 0 -> 2 0\n");
    snprintf(other, sizeof other, "bcast:@%s", path);
    if (cpm_collective_parse(other, &c, &e))
        fail_msg("%s", e.text);
    cpm_collective_print(&c, name, sizeof name);
    assert_string_equal(name, other);
    void *packed = malloc(cpm_collective_packed_bytes(0));
    assert_non_null(packed);
    cpm_collective_pack(&c, packed);
    cpm_collective_unpack(packed, &again);
    assert_true(cpm_collective_same(&c, &again));
    free(packed);
    snprintf(other, sizeof other, "gather:@%s", path);
    assert_int_equal(cpm_collective_parse(other, &again, &unlike), CPM_EINVAL);
    assert_non_null(strstr(unlike.text, "it is a schedule of bcast, not of gather"));
    assert_int_equal(cpm_collective_parse("bcast:@", &again, &none), CPM_EINVAL);
    snprintf(other, sizeof other, "bcast:@%0100d", 0);
    assert_int_equal(cpm_collective_parse(other, &again, &long_one), CPM_EINVAL);
    assert_non_null(strstr(long_one.text, "1 to 90 bytes"));
    char *text;
    size_t size;
    assert_int_equal(cpm_schedule_files_pack(&text, &size, NULL), CPM_OK);
    assert_true(size > strlen(path) && strcmp(text, path) == 0);
    free(text);
    cpm_schedule_files_close(true);
    assert_int_equal(cpm_collective_parse("bcast:@/nowhere", &again, &late), CPM_EINVAL);
    assert_non_null(strstr(late.text, "when the program began"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(what_is_wrong_has_its_line),
        cmocka_unit_test(what_it_does_is_proved),  cmocka_unit_test(order_of_contributions),
        cmocka_unit_test(files_are_rows),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
