/* Inputs that are JSON are changed as trees, so that they stay JSON: values become others, members
 * and elements are doubled, left out, renamed and exchanged. Every fourth is changed as bytes. */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

typedef struct {
    unsigned state;
} dice;

static unsigned roll(dice *d, size_t below)
{
    d->state = d->state * 1103515245u + 12345u;
    return (unsigned)((d->state >> 16) % (below ? below : 1));
}

/* ---- values */

static json_t *number(dice *d)
{
    static const double reals[] = {0,      -0.0,   1e-9,   1e-320, 1e308, 1.7976931348623157e308,
                                   2.5e-5, -1e-12, 1e-300, 1e19,   0.5,   9.99999999999e22};
    static const json_int_t integers[] = {0,     1,       2,          3,          -1,
                                          65536, 1 << 24, 2147483647, 2147483648, INT64_MAX};
    if (roll(d, 2))
        return json_real(reals[roll(d, sizeof reals / sizeof *reals)]);
    return json_integer(integers[roll(d, sizeof integers / sizeof *integers)]);
}

static json_t *string(dice *d, const json_t *old)
{
    char text[256] = "";
    if (json_is_string(old))
        snprintf(text, sizeof text / 2, "%s", json_string_value(old));
    size_t size = roll(d, 4) ? LLVMFuzzerMutate((uint8_t *)text, strlen(text), sizeof text - 1) : 0;
    text[size] = '\0';
    json_t *made = json_string(text); /* NULL: not UTF-8 */
    return made ? made : json_string("\x1b[2J");
}

static json_t *value(dice *d, const json_t *old)
{
    switch (roll(d, 8)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(roll(d, 2));
    case 2:
        return json_array();
    case 3:
        return json_object();
    case 4:
        return string(d, old);
    default:
        return json_is_string(old) ? string(d, old) : number(d);
    }
}

/* ---- places */

static void change_list(json_t *list, dice *d)
{
    size_t count = json_array_size(list), at = roll(d, count), other = roll(d, count);
    json_t *one = json_array_get(list, at);
    switch (count ? roll(d, 5) : 0) {
    case 0:
        json_array_insert_new(list, at, value(d, one));
        break;
    case 1:
        json_array_remove(list, at);
        break;
    case 2:
        json_array_insert_new(list, other, json_deep_copy(one));
        break;
    case 3:
        json_array_set_new(list, at, json_deep_copy(json_array_get(list, other)));
        break;
    default:
        json_array_set_new(list, at, value(d, one));
    }
}

static const char *key_at(json_t *object, size_t at)
{
    void *i = json_object_iter(object);
    while (at-- && i)
        i = json_object_iter_next(object, i);
    return i ? json_object_iter_key(i) : "";
}

static void change_object(json_t *object, dice *d)
{
    size_t count = json_object_size(object);
    char key[256];
    snprintf(key, sizeof key, "%s", key_at(object, roll(d, count)));
    json_t *one = json_incref(json_object_get(object, key));
    json_t *name = string(d, NULL);
    switch (roll(d, 5)) {
    case 0:
        json_object_del(object, key);
        break;
    case 1:
        json_object_del(object, key);
        json_object_set(object, json_string_value(name), one);
        break;
    case 2:
        json_object_set_new(object, json_string_value(name), json_deep_copy(one));
        break;
    case 3:
        json_object_set_new(
            object, key, json_deep_copy(json_object_get(object, key_at(object, roll(d, count)))));
        break;
    default:
        json_object_set_new(object, key, value(d, one));
    }
    json_decref(name);
    json_decref(one);
}

/* Down to a list or object, and there. */
static void change(json_t *at, dice *d)
{
    json_t *inside = NULL;
    if (json_is_array(at))
        inside = json_array_get(at, roll(d, json_array_size(at)));
    if (json_is_object(at))
        inside = json_object_get(at, key_at(at, roll(d, json_object_size(at))));
    bool deeper = (json_is_array(inside) || json_is_object(inside)) && roll(d, 6);
    if (deeper)
        change(inside, d);
    else if (json_is_array(at))
        change_list(at, d);
    else if (json_is_object(at))
        change_object(at, d);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    dice d = {seed};
    json_t *root = roll(&d, 4) ? json_loadb((const char *)data, size, 0, NULL) : NULL;
    if (!root)
        return LLVMFuzzerMutate(data, size, most);
    for (unsigned k = 1 + roll(&d, 3); k > 0; k--)
        change(root, &d);
    char *text = json_dumps(root, JSON_COMPACT);
    size_t length = text ? strlen(text) : 0;
    json_decref(root);
    if (length && length <= most)
        memcpy(data, text, length);
    free(text);
    return length && length <= most ? length : LLVMFuzzerMutate(data, size, most);
}
