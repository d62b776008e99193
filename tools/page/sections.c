/* The table of sections. A new one is a function and a row. */
#include "tools/page/sections.h"

static bool always(const page_cluster *k)
{
    (void)k;
    return true;
}

static bool has_model(const page_cluster *k)
{
    return k->main != NULL;
}

static bool has_decisions(const page_cluster *k)
{
    return k->main || page_has(k, "decision table");
}

static bool has_programs(const page_cluster *k)
{
    return page_has(k, "profile") || page_has(k, "lessons") || page_has(k, "run report");
}

const page_section page_sections[] = {
    {"measured", "What was measured", always, page_measured},
    {"model", "The model in words", has_model, page_in_words},
    {"parameters", "Hosts and links", has_model, page_parameters},
    {"accuracy", "Predicted and observed", page_has_observed, page_accuracy},
    {"observations", "Observed times", page_has_collectives, page_observations},
    {"decisions", "Which algorithm is the fastest", has_decisions, page_decisions},
    {"health", "Health", has_model, page_health},
    {"programs", "Programs", has_programs, page_programs},
    {NULL, NULL, NULL, NULL},
};
