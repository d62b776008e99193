/* MSCCL's XML: what thread blocks do becomes messages, and what no list of messages says is refused
 * with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectives/schedule_file.h"
#include "tests/folder.h"

#define ALGO(coll, gpus, chunks, more)                                                          \
    "<algo name=\"x\" coll=\"" coll "\" ngpus=\"" gpus "\" nchunksperloop=\"" chunks "\" " more \
    ">\n"
#define GPU(id, scratch) \
    "<gpu id=\"" id "\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"" scratch "\">\n"
#define TB(id, send, recv, chan) \
    "<tb id=\"" id "\" send=\"" send "\" recv=\"" recv "\" chan=\"" chan "\">\n"
#define WAITING(s, type, sb, so, db, to, cnt, tb, step)                                    \
    "<step s=\"" s "\" type=\"" type "\" srcbuf=\"" sb "\" srcoff=\"" so "\" dstbuf=\"" db \
    "\" dstoff=\"" to "\" cnt=\"" cnt "\" depid=\"" tb "\" deps=\"" step "\" hasdep=\"1\"/>\n"
#define STEP(s, type, sb, so, db, to, cnt) WAITING(s, type, sb, so, db, to, cnt, "-1", "-1")
#define END                                "</tb>\n"
#define END_GPU                            "</tb>\n</gpu>\n"
#define END_ALL                            END_GPU "</algo>\n"

static int read_text(const char *text, cpm_messages *out, cpm_error *e)
{
    cpm_lines lines = {0};
    bool ordered;
    int status = cpm_lines_open_text(&lines, "f", text, e);
    if (!status)
        status = cpm_schedule_read(&lines, out, &ordered, e);
    cpm_lines_close(&lines);
    return status;
}

static void expect_read(const char *text, const char *expected)
{
    cpm_messages m = {0};
    cpm_error e = {0};
    char *printed = NULL;
    size_t size;
    if (read_text(text, &m, &e))
        fail_msg("%s", e.text);
    FILE *f = open_memstream(&printed, &size);
    assert_non_null(f);
    cpm_schedule_print(&m, NULL, f);
    assert_int_equal(fclose(f), 0);
    assert_string_equal(printed, expected);
    free(printed);
    cpm_messages_clear(&m);
}

static void expect_refused(const char *text, int code, const char *why)
{
    cpm_messages m = {0};
    cpm_error e = {0};
    assert_int_equal(read_text(text, &m, &e), code);
    if (!strstr(e.text, why))
        fail_msg("'%s' is not in: %s", why, e.text);
    assert_null(m.at);
}

/* Both gpus send their one chunk, keep what comes apart, and add it later. */
#define EXCHANGE(me, other)                 \
    GPU(me, "1")                            \
    TB("0", other, other, "0")              \
    STEP("0", "s", "i", "0", "s", "0", "1") \
    STEP("1", "r", "i", "0", "s", "0", "1") \
    END TB("7", "-1", "-1", "0") WAITING("0", "re", "s", "0", "i", "0", "1", "0", "1") END_GPU

static void what_is_added_later_is_combined(void **state)
{
    (void)state;
    expect_read(ALGO("allreduce", "2", "1", "inplace=\"1\"") EXCHANGE("0", "1")
                    EXCHANGE("1", "0") "</algo>",
                "operation allreduce\nprocesses 2\n0 0 +> 1 0\n0 1 +> 0 0\n");
}

/* A block goes through scratch buffers of both, by copies. */
static void data_is_followed_through_copies(void **state)
{
    (void)state;
    expect_read("\n<!-- <a><b> --><?xml version=\"1.0\"?>" ALGO("broadcast", "2", "2", "")
                    GPU("0", "3") TB("0", "1", "-1", "0") STEP("0", "cpy", "i", "0", "s", "1", "2")
                        STEP("1", "s", "s", "2", "s", "0", "1")
                            STEP("2", "s", "s", "1", "o", "0", "1")
                                STEP("3", "cpy", "s", "1", "o", "0", "2") END_GPU GPU("1", "1")
                                    TB("0", "-1", "0", "0") STEP("0", "r", "i", "1", "s", "0", "1")
                                        STEP("1", "r", "i", "1", "o", "0", "1")
                                            STEP("2", "cpy", "s", "0", "o", "1", "1") END_ALL,
                "operation bcast\nprocesses 2\nroot 0\npieces 2\n0 0 -> 1 0.1\n0 0 -> 1 0.0\n");
}

/* Of one chunk from gpu 0 to gpu 1. */
#define BCAST(chunks, more) ALGO("broadcast", "2", chunks, more) GPU("0", "0")
#define SEND                TB("0", "1", "-1", "0") STEP("0", "s", "i", "0", "o", "0", "1")
#define COPY                STEP("1", "cpy", "i", "0", "o", "0", "1")
#define RECEIVE             GPU("1", "1") TB("3", "-1", "0", "0") STEP("0", "r", "i", "0", "o", "0", "1")

static void what_is_no_program_is_refused(void **state)
{
    (void)state;
    expect_read(BCAST("1", "") SEND COPY END_GPU RECEIVE END_ALL,
                "operation bcast\nprocesses 2\nroot 0\n0 0 -> 1 0\n");
    expect_refused("<algo>\n<gpu\n</algo>", CPM_EPARSE, "f:3: no XML: expected >");
    expect_refused("<secret>word</secret>", CPM_EPARSE, "f: no schedule: an XML document whose");
    expect_refused("<!DOCTYPE a>\n<algo/>", CPM_EPARSE, "f: a document type");
    expect_refused("<algo/>", CPM_EPARSE, "f: algo: there is no attribute 'coll'");
    expect_refused("<algo coll=\"custom\" ngpus=\"1\" nchunksperloop=\"1\"><gpu id=\"0\" "
                   "s_chunks=\"0\"/></algo>",
                   CPM_EPARSE, "'custom' is none of allgather, allreduce");
    expect_refused(ALGO("alltoall", "2", "3", "")
                       GPU("0", "0") "</gpu>" GPU("1", "0") "</gpu></algo>",
                   CPM_EPARSE, "3 chunks do not divide evenly over 2 gpus");
    expect_refused(ALGO("broadcast", "0", "1", "") "</algo>", CPM_EPARSE, "ngpus: '0' is not a");
    expect_refused(ALGO("broadcast", "2", "1", "") "<tb/></algo>", CPM_EPARSE, "<tb> in <algo>");
    expect_refused(BCAST("1", "") SEND END_GPU "</algo>", CPM_EPARSE, "gpu 1 is not there");
    expect_refused(BCAST("1", "") "</gpu>" GPU("0", "0") "</gpu></algo>", CPM_EPARSE,
                   "gpu 0 is there twice");
    expect_refused(BCAST("1", "") "</gpu>" GPU("2", "0") "</gpu></algo>", CPM_EPARSE,
                   "gpu: id: '2' is not a number from 0 to 1");
    expect_refused(BCAST("1", "") TB("0", "2", "-1", "0") END_ALL, CPM_EPARSE,
                   "gpu 0 tb 0: send: '2' is not a number from -1 to 1");
    expect_refused(BCAST("1", "") TB("0", "0", "-1", "0") END_ALL, CPM_EPARSE,
                   "gpu 0 tb 0 sends to itself");
    expect_refused(BCAST("1", "") SEND END TB("0", "-1", "-1", "0") END_ALL, CPM_EPARSE,
                   "gpu 0 tb 0 is there twice");
    expect_refused(BCAST("1", "") TB("5", "-1", "-1", "0") STEP("0", "x", "i", "0", "o", "0", "1")
                       END_ALL,
                   CPM_EPARSE, "gpu 0 tb 5 step 0: unknown type 'x'");
    expect_refused(BCAST("1", "") TB("5", "-1", "-1", "0") STEP("1", "s", "i", "0", "o", "0", "1")
                       END_ALL,
                   CPM_EPARSE, "gpu 0 tb 5 step 0: s: '1' is not a number from 0 to 0");
    expect_refused(BCAST("1", "") TB("5", "-1", "-1", "0") STEP("0", "s", "i", "0", "o", "0", "1")
                       END_ALL,
                   CPM_EPARSE, "gpu 0 tb 5 step 0 sends, but its tb has no gpu to send to");
    expect_refused(BCAST("1", "") TB("5", "1", "-1", "0") STEP("0", "s", "k", "0", "o", "0", "1")
                       END_ALL,
                   CPM_EPARSE, "srcbuf: 'k' is none of the buffers i, o and s");
    expect_refused(BCAST("1", "") TB("5", "-1", "-1", "0")
                       WAITING("0", "nop", "i", "-1", "o", "-1", "0", "5", "1")
                           END_GPU GPU("1", "0") "</gpu></algo>",
                   CPM_EPARSE, "waits for tb 5 step 1, which is not there");
}

static void what_cannot_run_is_refused(void **state)
{
    (void)state;
    expect_refused(BCAST("1", "root=\"0\"") SEND COPY END_GPU GPU("1", "0") "</gpu></algo>",
                   CPM_EDEADLOCK,
                   "gpu 0 tb 0 step 0: sends to gpu 1 on channel 0, where gpu 1 has no such "
                   "receive left");
    expect_refused(BCAST("1", "root=\"0\"") "</gpu>" RECEIVE END_ALL, CPM_EDEADLOCK,
                   "gpu 1 tb 3 step 0: receives from gpu 0 on channel 0, where gpu 0 has no such "
                   "send left");
    expect_refused(BCAST("1", "") SEND STEP("1", "s", "i", "0", "o", "0", "1")
                       END_GPU RECEIVE END TB("4", "-1", "0", "0")
                           STEP("0", "r", "i", "0", "o", "0", "1") END_ALL,
                   CPM_EPARSE, "gpu 1 tb 4 step 0: tb 3 has the same connection");
    expect_refused(BCAST("2", "") SEND END_GPU GPU("1", "0") TB("0", "-1", "0", "0")
                       STEP("0", "r", "i", "0", "o", "0", "2") END_ALL,
                   CPM_EPARSE, "receives 2 chunks, but gpu 0 tb 0 step 0 sends 1");
    expect_refused(
        ALGO("allgather", "2", "2", "inplace=\"1\"") GPU("0", "0") TB("0", "1", "1", "0")
            STEP("0", "r", "o", "1", "o", "1", "1") STEP("1", "s", "o", "0", "o", "0", "1")
                END_GPU GPU("1", "0") TB("0", "0", "0", "0") STEP("0", "r", "o", "0", "o", "0", "1")
                    STEP("1", "s", "o", "1", "o", "1", "1") END_ALL,
        CPM_EDEADLOCK, "gpu 0 tb 0 step 0: waits for gpu 1 tb 0 step 1, which waits for it");
    expect_refused(BCAST("1", "root=\"0\"") TB("0", "-1", "-1", "0")
                       WAITING("0", "nop", "i", "-1", "o", "-1", "0", "0", "0")
                           END_GPU GPU("1", "0") TB("0", "-1", "-1", "0") END_ALL,
                   CPM_EDEADLOCK, "gpu 0 tb 0 step 0: waits for gpu 0 tb 0 step 0");
}

static void what_data_cannot_do_is_refused(void **state)
{
    (void)state;
    expect_refused(BCAST("1", "") SEND STEP("1", "cpy", "i", "1", "o", "0", "1")
                       END_GPU RECEIVE END_ALL,
                   CPM_EPARSE, "gpu 0 tb 0 step 1: chunks 1 to 1 of buffer i, which has 1");
    expect_refused(BCAST("1", "") SEND COPY STEP("2", "re", "i", "0", "o", "0", "1")
                       END_GPU RECEIVE END_ALL,
                   CPM_EPARSE, "step 2: combines, which broadcast does not");
    expect_refused(BCAST("1", "") TB("0", "1", "-1", "0") STEP("0", "s", "o", "0", "o", "0", "1")
                       COPY END_GPU RECEIVE END_ALL,
                   CPM_EPARSE, "gpu 0 tb 0 step 0: sends a chunk that holds nothing");
    expect_refused(BCAST("1", "") SEND END_GPU RECEIVE END_ALL, CPM_EPARSE,
                   "gpu 0: chunk 0 of its output ends with nothing, not with block 0, which it has "
                   "elsewhere");
    expect_refused(BCAST("2", "inplace=\"1\"") SEND END_GPU RECEIVE END_ALL, CPM_EWRONG,
                   "it does not do what bcast demands");
    expect_refused(
        BCAST("2", "inplace=\"1\"") TB("0", "1", "-1", "0") STEP("0", "s", "i", "0", "o", "0", "2")
            STEP("1", "cpy", "i", "0", "i", "1", "1") END_GPU GPU("1", "0") TB("0", "-1", "0", "0")
                STEP("0", "r", "i", "0", "o", "0", "2") END_ALL,
        CPM_EPARSE, "gpu 0: chunk 1 of its output ends with block 0.0, not with block 0.1");
    expect_refused(ALGO("broadcast", "2", "1", "")
                       GPU("0", "0") "</gpu>" GPU("1", "0") "</gpu></algo>",
                   CPM_EPARSE, "the root is not clear, as not exactly one gpu receives nothing");
}

#define REDUCE(steps)                                                         \
    ALGO("reduce", "3", "1", "inplace=\"1\" root=\"0\"")                      \
    GPU("0", "0")                                                             \
    TB("0", "-1", "1", "0")                                                   \
    STEP("0", "rrc", "i", "0", "i", "0", "1")                                 \
    END_GPU GPU("1", "2") steps END_GPU GPU("2", "0") TB("0", "1", "-1", "0") \
        STEP("0", "s", "i", "0", "s", "0", "1") END_ALL
#define FROM_2 TB("0", "0", "2", "0") STEP("0", "r", "i", "0", "s", "0", "1")

static void sums_that_a_schedule_has_not_are_refused(void **state)
{
    (void)state;
    expect_read(REDUCE(FROM_2 STEP("1", "re", "i", "0", "s", "0", "1")
                           STEP("2", "s", "s", "0", "i", "0", "1")),
                "operation reduce\nprocesses 3\nroot 0\n0 2 +> 1 0\n1 1 +> 0 0\n");
    expect_refused(REDUCE(FROM_2 STEP("1", "re", "s", "0", "i", "0", "1") STEP(
                       "2", "re", "s", "0", "i", "0", "1") STEP("3", "s", "i", "0", "i", "0", "1")),
                   CPM_EPARSE, "gpu 1 tb 0 step 2: adds to block 0 what was added or used before");
    expect_refused(REDUCE(FROM_2 STEP("1", "re", "s", "0", "s", "0", "1") STEP(
                       "2", "re", "s", "0", "s", "0", "1") STEP("3", "s", "i", "0", "i", "0", "1")),
                   CPM_EPARSE, "gpu 1 tb 0 step 2: adds contributions to block 0 twice");
    expect_refused(REDUCE(FROM_2 STEP("1", "re", "i", "0", "i", "0", "1")
                              STEP("2", "s", "i", "0", "i", "0", "1")),
                   CPM_EPARSE, "adds block 0 to itself");
    expect_refused(REDUCE(FROM_2 STEP("1", "re", "s", "1", "i", "0", "1")
                              STEP("2", "s", "i", "0", "i", "0", "1")),
                   CPM_EPARSE, "adds a chunk that holds nothing");
    expect_refused(REDUCE(FROM_2 STEP("1", "s", "i", "0", "i", "0", "1")), CPM_EPARSE,
                   "gpu 1 tb 0 step 0: what it receives is not used");
    expect_refused(REDUCE(FROM_2 STEP("1", "s", "s", "0", "i", "0", "1")), CPM_EWRONG,
                   "it does not do what reduce demands");
    expect_refused(REDUCE(FROM_2 STEP("1", "cpy", "i", "0", "s", "1", "1") STEP(
                       "2", "re", "s", "0", "i", "0", "1") STEP("3", "s", "s", "1", "i", "0", "1")),
                   CPM_EWRONG, "it does not do what reduce demands");
}

/* A message is sent back before the one that was sent first is taken out of its buffer. */
static void what_needs_buffers_is_refused(void **state)
{
    (void)state;
    expect_refused(
        ALGO("broadcast", "2", "2", "inplace=\"1\" root=\"0\"") GPU("0", "0") TB("0", "1", "1", "0")
            STEP("0", "s", "i", "0", "i", "0", "1") STEP("1", "r", "i", "1", "i", "1", "1")
                END TB("1", "1", "-1", "1") WAITING("0", "s", "i", "1", "i", "1", "1", "0", "0")
                    END_GPU GPU("1", "0") TB("0", "0", "0", "0")
                        WAITING("0", "s", "i", "1", "i", "1", "1", "1", "0")
                            STEP("1", "r", "i", "0", "i", "0", "1") END TB("1", "-1", "0", "1")
                                STEP("0", "r", "i", "1", "i", "1", "1") END_ALL,
        CPM_EPARSE,
        "gpu 0 tb 0 step 1: what it receives is needed before and after what gpu 1 tb 1 step 0 "
        "receives. Messages of a schedule do not wait in buffers");
}

static void a_message_is_added_or_taken(void **state)
{
    (void)state;
    expect_refused(
        ALGO("allreduce", "2", "2", "inplace=\"1\"") GPU("0", "2") TB("0", "1", "1", "0")
            STEP("0", "r", "i", "0", "s", "0", "2") STEP("1", "re", "s", "0", "i", "0", "1")
                STEP("2", "cpy", "s", "1", "i", "1", "1") STEP("3", "s", "i", "0", "i", "0", "2")
                    END_GPU GPU("1", "0") TB("0", "0", "0", "0")
                        STEP("0", "s", "i", "0", "i", "0", "2")
                            STEP("1", "r", "i", "0", "i", "0", "2") END_ALL,
        CPM_EPARSE,
        "gpu 0 tb 0 step 3: of what step 0 of tb 0 received (block 0.0 ...) some is "
        "added to what the gpu has, and some is not");
}

/* Every digit of a program becomes others: it is refused in one sentence, or does what it says. */
static void mutations_are_read_or_refused(void **state)
{
    (void)state;
    const char *const programs[] = {ALGO("allreduce", "2", "1", "inplace=\"1\"") EXCHANGE("0", "1")
                                        EXCHANGE("1", "0") "</algo>",
                                    BCAST("1", "") SEND COPY END_GPU RECEIVE END_ALL,
                                    REDUCE(FROM_2 STEP("1", "re", "i", "0", "s", "0", "1")
                                               STEP("2", "s", "s", "0", "i", "0", "1"))};
    int read = 0, refused = 0;
    for (int p = 0; p < 3; p++) {
        char *text = strdup(programs[p]);
        for (char *at = text; *at; at++) {
            const char was = *at;
            for (const char *other = "0129ios<\""; *other && strchr("0123ios\"", was); other++) {
                cpm_messages m = {0};
                cpm_error e = {0};
                *at = *other;
                int status = read_text(text, &m, &e);
                assert_true(status ? e.text[0] && !strchr(e.text, '\n') : m.n > 0);
                read += !status;
                refused += status != CPM_OK;
                cpm_messages_clear(&m);
            }
            *at = was;
        }
        free(text);
    }
    assert_true(read > 100 && refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_later_is_combined),
        cmocka_unit_test(data_is_followed_through_copies),
        cmocka_unit_test(what_is_no_program_is_refused),
        cmocka_unit_test(what_cannot_run_is_refused),
        cmocka_unit_test(what_data_cannot_do_is_refused),
        cmocka_unit_test(sums_that_a_schedule_has_not_are_refused),
        cmocka_unit_test(what_needs_buffers_is_refused),
        cmocka_unit_test(a_message_is_added_or_taken),
        cmocka_unit_test(mutations_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
