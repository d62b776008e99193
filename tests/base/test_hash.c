/* The hash: what was put in is found, and nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/hash.h"

enum { KEYS = 3000 };

/* Neighbours, multiples of a power of two, and pairs of ranks: what keys may look like. */
static uint64_t key_of(int kind, int k)
{
    uint64_t x = (uint64_t)k;
    return 1 + (kind == 0 ? x : kind == 1 ? x << 48 : (x / 64) << 32 | x % 64);
}

static void keys_are_found_and_others_are_not(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        cpm_hash h = {0};
        assert_null(cpm_hash_find(&h, 1));
        for (int k = 0; k < KEYS; k++) {
            assert_null(cpm_hash_find(&h, key_of(kind, k)));
            cpm_slot *slot = cpm_hash_add(&h, key_of(kind, k));
            assert_non_null(slot);
            slot->index = k;
        }
        for (int k = 0; k < KEYS; k++) {
            cpm_slot *slot = cpm_hash_find(&h, key_of(kind, k));
            assert_int_equal(slot->key, key_of(kind, k));
            assert_int_equal(slot->index, k);
            assert_null(cpm_hash_next(&h, slot));
        }
        assert_int_equal(h.count, KEYS);
        cpm_hash_free(&h);
    }
}

static void all_slots_of_one_key_come_in_turn(void **state)
{
    (void)state;
    enum { EACH = 40, DIFFERENT = 20 };
    cpm_hash h = {0};
    for (int k = 0; k < EACH * DIFFERENT; k++)
        cpm_hash_add(&h, 1 + (uint64_t)(k % DIFFERENT))->index = k;
    for (int key = 0; key < DIFFERENT; key++) {
        int seen[EACH] = {0}, count = 0;
        for (const cpm_slot *slot = cpm_hash_find(&h, 1 + (uint64_t)key); slot; count++) {
            assert_int_equal(slot->index % DIFFERENT, key);
            seen[slot->index / DIFFERENT]++;
            slot = cpm_hash_next(&h, slot);
        }
        assert_int_equal(count, EACH);
        for (int k = 0; k < EACH; k++)
            assert_int_equal(seen[k], 1);
    }
    cpm_hash_free(&h);
}

/* Of places in a table of 4096: random ones would leave 4096 / e of them empty. */
static void like_keys_go_to_different_places(void **state)
{
    (void)state;
    enum { PLACES = 4096 };
    for (int kind = 0; kind < 3; kind++) {
        int used[PLACES] = {0}, empty = 0;
        for (int k = 0; k < PLACES; k++)
            used[cpm_hash_mix(0, key_of(kind, k)) % PLACES]++;
        for (int p = 0; p < PLACES; p++)
            empty += used[p] == 0;
        assert_true(empty < PLACES / 2);
    }
}

/* The numbers after key that have the same place if there is no seed. */
static uint64_t next_chosen(uint64_t key, size_t places)
{
    do
        key++;
    while (cpm_hash_mix(0, key) % places != 0);
    return key;
}

static void keys_that_were_chosen_to_collide_do_not(void **state)
{
    (void)state;
    enum { CHOSEN = 1000, PLACES = 4096 };
    bool used[PLACES] = {false};
    cpm_hash h = {0};
    int different = 0;
    uint64_t key = 0;
    for (int k = 0; k < CHOSEN; k++)
        assert_non_null(cpm_hash_add(&h, key = next_chosen(key, PLACES)));
    key = 0;
    for (int k = 0; k < CHOSEN; k++) {
        size_t place = cpm_hash_place(&h, key = next_chosen(key, PLACES)) % PLACES;
        different += !used[place];
        used[place] = true;
    }
    cpm_hash_free(&h);
    assert_true(different > CHOSEN / 2);
}

static uint64_t without_seed(const char *text)
{
    uint64_t key = 0;
    for (; *text; text++)
        key = cpm_hash_mix(key, (unsigned char)*text);
    return key;
}

static void texts_that_were_chosen_to_collide_do_not(void **state)
{
    (void)state;
    enum { CHOSEN = 1000, PLACES = 4096 };
    bool used[PLACES] = {false};
    int different = 0, chosen = 0;
    for (int k = 0; chosen < CHOSEN; k++) {
        char text[16];
        snprintf(text, sizeof text, "key%d", k);
        if (without_seed(text) / 2 % PLACES != 0)
            continue;
        size_t place = cpm_hash_text(text) / 2 % PLACES;
        different += !used[place];
        used[place] = true;
        chosen++;
    }
    assert_true(different > CHOSEN / 2);
}

static void the_order_of_parts_matters(void **state)
{
    (void)state;
    for (uint64_t a = 0; a < 50; a++)
        for (uint64_t b = 0; b < a; b++)
            assert_true(cpm_hash_mix(cpm_hash_mix(0, a), b) != cpm_hash_mix(cpm_hash_mix(0, b), a));
}

/* Few places, so that keys stand in each other's way. */
static void what_is_taken_out_leaves_the_others_to_be_found(void **state)
{
    (void)state;
    enum { TRIED = 30 };
    for (unsigned round = 1; round <= 200; round++) {
        cpm_hash h = {0};
        bool there[TRIED + 1] = {false};
        unsigned random = round;
        for (int k = 0; k < 200; k++) {
            random = random * 1664525u + 1013904223u;
            uint64_t key = 1 + (random >> 16) % TRIED;
            cpm_slot *slot = cpm_hash_find(&h, key);
            assert_int_equal(slot != NULL, there[key]);
            if (slot)
                cpm_hash_remove(&h, slot);
            else
                assert_non_null(cpm_hash_add(&h, key));
            there[key] = !there[key];
        }
        size_t count = 0;
        for (uint64_t key = 1; key <= TRIED; key++) {
            assert_int_equal(cpm_hash_find(&h, key) != NULL, there[key]);
            count += there[key];
        }
        assert_int_equal(h.count, count);
        cpm_hash_free(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_and_others_are_not),
        cmocka_unit_test(all_slots_of_one_key_come_in_turn),
        cmocka_unit_test(like_keys_go_to_different_places),
        cmocka_unit_test(keys_that_were_chosen_to_collide_do_not),
        cmocka_unit_test(texts_that_were_chosen_to_collide_do_not),
        cmocka_unit_test(the_order_of_parts_matters),
        cmocka_unit_test(what_is_taken_out_leaves_the_others_to_be_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
