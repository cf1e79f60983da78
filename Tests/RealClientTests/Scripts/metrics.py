"""Reads metrics on standard input as Prometheus' own library does and prints the families as a line of JSON.

Usage: metrics.py prometheus|openmetrics
"""

import json
import sys

from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client import parser as prometheus

parsers = {
    "prometheus": prometheus.text_string_to_metric_families,
    # Strict: it throws at whatever the standard does not allow.
    "openmetrics": openmetrics.text_string_to_metric_families,
}

families = {}
for family in parsers[sys.argv[1]](sys.stdin.read()):
    assert family.name not in families, family.name
    families[family.name] = {
        "type": family.type, "help": family.documentation,
        "samples": [[sample.name, sample.labels, repr(float(sample.value))] for sample in family.samples],
    }
print(json.dumps(families))
