/* Files that say which class a host or process belongs to, applied to hosts. */
#include "estimators/class_rules.h"
#include "fuzz/fuzz.h"

static void apply(const cpm_class_rules *r, int n, const char *hosts)
{
    cpm_classes c = {0};
    cpm_error e = {0};
    int status = cpm_class_rules_apply(r, n, hosts, &c, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return;
    }
    for (int i = 0; i < n; i++)
        fuzz_require(c.of[i] >= 0 && c.of[i] < c.count, "each process has one of the classes");
    cpm_classes_clear(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cpm_class_rules *r = NULL;
    cpm_error e = {0};
    int status = cpm_class_rules_read(fuzz_file(data, size), &r, &e);
    if (status) {
        fuzz_require_sentence(status, &e);
        return 0;
    }
    apply(r, 7, "thin0 thin1 thin2 thin3 fat1 fat2 login");
    apply(r, 3, "node0 node1"); /* a name too few */
    apply(r, 4, NULL);
    cpm_class_rules_free(r);
    return 0;
}
