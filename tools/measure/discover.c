#include "tools/measure/discover.h"

#include <stdlib.h>

#include "base/text_file.h"
#include "estimators/switches_find.h"
#include "measurements/campaign.h"
#include "tools/frame/output.h"
#include "tools/measure/estimation.h"
#include "tools/measure/session.h"

/* What a switch adds is little of a round trip: repetitions of empty messages cost next to nothing.
 */
static const cpm_precision precise = {400, 400, 0.95, 0.002, CPM_MEDIAN, 0};
static const cpm_precision few = {10, 10, 0.95, 0.002, CPM_MEDIAN, 0};

/* Round trips, and exchanges where these tell nothing, which only the first process knows. */
static int measure(call *c, cpm_measurements *trips, cpm_measurements *exchanges, cpm_error *e)
{
    cpm_campaign campaign = {.precision = precise, .serial = c->set->how.serial};
    int status = cpm_campaign_run(c->machine, cpm_switches_plan, NULL, &campaign, trips, e);
    campaign.precision = few;
    return status ? status
                  : cpm_campaign_run(c->machine, cpm_switches_plan_exchanges, trips, &campaign,
                                     exchanges, e);
}

static void say_found(const char *path, int count, const cpm_switches_signs *exchanged)
{
    fprintf(stderr, "cpm: wrote %s: the hosts are at %d switch%s\n", path, count,
            count == 1 ? "" : "es");
    if (exchanged->across > 0 && count > 1)
        fprintf(stderr,
                "cpm: note: latencies are those of one switch, but exchanges of all hosts at "
                "once show several. They take %.2f times as long between switches, at most %.2f "
                "times inside\n",
                exchanged->across, exchanged->within);
    else if (exchanged->across > 0)
        fprintf(stderr,
                "cpm: note: exchanges of all hosts took at most %.2f times as long. A switch "
                "cannot be found if it adds no latency and all hosts at once do not fill its "
                "trunk\n",
                exchanged->within);
}

static int write_found(const call *c, const cpm_measurements *m, const cpm_measurements *exchanges,
                       cpm_error *e)
{
    cpm_hosts on = {0};
    cpm_switches_signs exchanged;
    char *text = NULL;
    int status = cpm_switches_find(m, exchanges, &on, &exchanged, e);
    if (!status)
        status = cpm_switches_text(m, &on, &exchanged, &text, e);
    if (!status)
        status = cpm_text_write(estimation_of(c)->discover, text, CPM_FILE_TOPOLOGY, e);
    if (!status && !c->set->out.quiet)
        say_found(estimation_of(c)->discover, on.count, &exchanged);
    free(text);
    cpm_hosts_clear(&on);
    return status;
}

int discover_switches(call *c, cpm_error *e)
{
    cpm_measurements m = {0}, exchanges = {0};
    cpm_error why = {0};
    int status = session_agree(
        c, c->speaks ? output_check(estimation_of(c)->discover, CPM_FILE_TOPOLOGY, e) : CPM_OK, e);
    if (!status)
        status = measure(c, &m, &exchanges, e);
    if (!status) {
        status = session_agree(c, c->speaks ? write_found(c, &m, &exchanges, &why) : CPM_OK, &why);
        status = status ? cpm_fail(e, status, "--discover: %s", why.text) : CPM_OK;
    }
    cpm_measurements_clear(&exchanges);
    cpm_measurements_clear(&m);
    c->set->where.topology = estimation_of(c)->discover;
    return status;
}
