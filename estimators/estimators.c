/* The table of estimators, from rows.def. */
#include "estimators/estimator.h"
#include "estimators/lmo2.h"

/* clang-format off */
#define ROW(model, method, title, source, least, plan, fit, ...) cpm_plan_function plan; cpm_fit_function fit;
#include "estimators/rows.def"

#define ROW(MODEL, METHOD, TITLE, SOURCE, LEAST, PLAN, FIT, ...)                          \
    {.model = MODEL, .method = METHOD, .title = TITLE, .source = SOURCE,                  \
     .min_processes = LEAST, .plan = PLAN, .fit = FIT, __VA_ARGS__},
const cpm_estimator cpm_estimators[] = {
#include "estimators/rows.def"
    {0},
};
/* clang-format on */
