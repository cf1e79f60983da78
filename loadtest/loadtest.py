#!/usr/bin/env python3
"""Plays scenarios on a gateway and its peers with k6, and writes a report with pictures.

Usage: loadtest.py PATH-TO-GATEHOUSE [--quick] [--only NAME[,NAME]] [--report DIRECTORY]

See README.md. Exits 1 when something was not as it should be.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile
import time

import fault_scenarios
import report
import scenarios
from gateway_process import end_in_order, require
from stage import Stage, run

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = {
    "steady": scenarios.steady,
    # Before the others: memory that they have left free would be used first.
    "websockets": scenarios.websockets,
    "tenants": fault_scenarios.tenants,
    "spike": scenarios.spike,
    "storm": fault_scenarios.expiry_storm,
    "rotation": fault_scenarios.key_rotation,
    "redis": fault_scenarios.redis_loss,
    "slow": fault_scenarios.slow_provider,
    "flood": fault_scenarios.flood,
}


def versions(program, k6, envoy):
    """(name, value) of the programs."""
    found = [("gatehouse", program), ("k6", run([k6, "version"]).strip())]
    if envoy:
        found.append(("Envoy", run([envoy, "--version"]).partition("version: ")[2].strip()))
    if shutil.which("haproxy"):
        found.append(("HAProxy", run(["haproxy", "-v"]).splitlines()[0]))
    return found


def main():
    parser = argparse.ArgumentParser(description="Scenarios under load, beside nginx, HAProxy and Envoy.")
    parser.add_argument("gatehouse", help="path of the program, a release build")
    parser.add_argument("--quick", action="store_true", help="a third of the time, and fewer of everything")
    parser.add_argument("--only", default=",".join(SCENARIOS), help="names of scenarios, separated by commas")
    parser.add_argument("--report", default=HERE / "report", help="where it is written (default loadtest/report)")
    chosen = parser.parse_args()
    names = chosen.only.split(",")
    unknown = [name for name in names if name not in SCENARIOS]
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)}; there are {', '.join(SCENARIOS)}")
    require("nginx", "openssl", "redis-server", "k6")
    end_in_order()
    k6, envoy = shutil.which("k6"), shutil.which("envoy")
    plan, findings, begin = scenarios.Plan(chosen.quick), [], time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        stage = Stage(chosen.gatehouse, pathlib.Path(name), k6, envoy)
        try:
            for name in names:
                finding = SCENARIOS[name](stage, plan)
                findings.append(finding)
                print("\n".join(finding.lines()), flush=True)
            lived = stage.gateway.is_running
        finally:
            status = stage.close()
    minutes = (time.monotonic() - begin) / 60
    facts = [*report.machine(), *versions(chosen.gatehouse, k6, envoy), ("minutes", f"{minutes:.1f}")]
    page = report.write(chosen.report, findings, facts)
    is_good = lived and status == 0 and all(finding.is_good for finding in findings)
    if not lived or status != 0:
        print(f"the gateway ended with status {status}")
    print(f"{'PASSED' if is_good else 'FAILED'} in {minutes:.1f} minutes: {page}")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
