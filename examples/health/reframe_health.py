"""cpm health as a test of ReFrame: reframe -c reframe_health.py -S cluster=/srv/cpm/cluster.mod -S num_tasks=16 -r

The test fails if something is slower than in the reference. Where the check cannot tell it is skipped, with the reason.
"""
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import performance_function, run_before, sanity_function, variable


@rfm.simple_test
class CpmHealth(rfm.RunOnlyRegressionTest):
    descr = "Are hosts and links as fast as in the reference model?"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    num_tasks_per_node = 1
    exclusive_access = True
    time_limit = "10m"
    cluster = variable(str, value="cluster.mod")
    executable = "cpm"

    @run_before("run")
    def set_options(self):
        self.executable_opts = ["health", self.cluster, "--line", "--subset", "--prometheus", "health.prom"]
        self.keep_files = ["health.prom"]

    @sanity_function
    def is_healthy(self):
        self.skip_if(sn.evaluate(sn.count(sn.findall(r"^cannot tell", self.stdout))) > 0, "cpm health cannot tell")
        return sn.assert_found(r"^healthy: ", self.stdout, msg="something is slower: see the output")

    @performance_function("values")
    def slower_values(self):
        return sn.extractsingle(r"^cpm_health_slower_values\{.*\} (\d+)", "health.prom", 1, int)
