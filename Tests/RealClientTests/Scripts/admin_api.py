"""Holds a running gateway's admin API to its own description.

usage: admin_api.py URL TOKEN

openapi-spec-validator judges /openapi.json, and schemathesis asks every operation that it describes, with good and with
bad data, and judges the answers. Prints what was asked, the last line being a JSON object; exit 1 if anything is wrong.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

import openapi_spec_validator

# Never ends; the dashboard's tests read it.
ENDLESS = "/api/events"


def close(schema):
    """Has every object of the schema refuse the members that are not in it: whatever is answered is described."""
    if isinstance(schema, dict):
        if schema.get("type") == "object" and "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for part in schema.values():
            close(part)
    elif isinstance(schema, list):
        for part in schema:
            close(part)


def main(url, token):
    request = urllib.request.Request(f"{url}/openapi.json", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        description = json.load(answer)
    openapi_spec_validator.validate(description)
    close(description["components"]["schemas"])
    description["paths"].pop(ENDLESS, None)

    with tempfile.TemporaryDirectory() as folder:
        path, report = pathlib.Path(folder, "openapi.json"), pathlib.Path(folder, "report.json")
        path.write_text(json.dumps(description))
        command = [
            str(pathlib.Path(sys.executable).parent / "schemathesis"), "run", str(path), "--url", url,
            "--header", f"Authorization: Bearer {token}",
            # What is refused although a schema has room for it: tokens that are none, cursors that were never given,
            # and of two parameters both.
            "--checks", "all", "--exclude-checks", "positive_data_acceptance",
            "--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--seed", "8",
            "--no-shrink", "--generation-database", "none", "--request-timeout", "10",
            "--continue-on-failure", "--report", "json", "--report-json-path", str(report),
        ]  # fmt: skip
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout)
        result = json.loads(report.read_text())
    described = sum(name != "parameters" for path in description["paths"].values() for name in path)
    print(
        json.dumps(
            {
                "operations": described,
                "asked": result["operations"]["tested"],
                "requests": result["test_cases"]["generated"],
            }
        )
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
