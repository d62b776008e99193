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

static bool has_history(const page_cluster *k)
{
    return k->found->models > 1;
}

const page_section page_sections[] = {
    {"verdict", "Verdict", has_model, page_verdict},
    {"history", "What changed", has_history, page_history},
    {"accuracy", "Predicted and observed", page_has_observed, page_accuracy},
    {"decisions", "Which algorithm is the fastest", has_decisions, page_decisions},
    {"parameters", "Hosts and links", has_model, page_parameters},
    {"health", "Health", has_model, page_health},
    {"model", "The model in words", has_model, page_in_words},
    {"programs", "Programs", has_programs, page_programs},
    {"measured", "What was measured", always, page_measured},
    {"observations", "Observed times", page_has_collectives, page_observations},
    {NULL, NULL, NULL, NULL},
};
