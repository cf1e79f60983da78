"""Asks an OpenID provider what the OpenID Foundation's conformance suite asks.

Prints a line of JSON with the `port` of its own server and its origin, `app`: it is the backend of the provider's
tenant, its account hook, and where clients are told of logouts; `keys` is the key set of the client `key`.

Then reads a line of JSON: `issuer`, `ca` (a PEM file), `provider` (whose link the person follows), `pkce` (whether all
clients must use it) and `clients` (`basic`, `post`, `public`, and `key` if there can be one). Prints one line of JSON:
each test with its result and reasons, and the table of all as Markdown.
"""

import concurrent.futures
import json
import sys

import assertions
import basic
import configuration
import logout
import own_server
from modules import MODULES, run
from relying_party import KEY, Provider

FORM_POST = "form_post"
TITLES = {
    basic.PLAN: "Basic OP", assertions.PLAN: "Basic OP by key", configuration.PLAN: "Config OP",
    FORM_POST: "Form Post OP",
    logout.INITIATED: "RP-Initiated OP", logout.BACK: "Back-Channel OP", logout.FRONT: "Front-Channel OP",
}
# All but one of these would wait for the one before.
SLOW = "oidcc-codereuse-30seconds"
def run_all(provider):
    planned = [(plan, name, function, provider) for plan, name, function in MODULES]
    posted = provider.with_form_post()
    planned += [(FORM_POST, name, function, posted) for plan, name, function in MODULES if plan == basic.PLAN]
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        slow = [pool.submit(run, *one) for one in planned if one[1] == SLOW]
        # Two at once: each waits for seconds to pass in its turn.
        workers = concurrent.futures.ThreadPoolExecutor(max_workers=2)
        quick = [workers.submit(run, *one) for one in planned if one[1] != SLOW]
        done = [future.result() for future in slow + quick]
    order = {(plan, name): index for index, (plan, name, _, _) in enumerate(planned)}
    return sorted(done, key=lambda test: (list(TITLES).index(test.plan), order[test.plan, test.name]))


def table(tests):
    lines = ["| plan | test of the suite | result | what does not hold, or why it is skipped |", "|---|---|---|---|"]
    for test in tests:
        reason = test.reasons[0] if test.reasons else ""
        lines.append(" ".join(["|", TITLES[test.plan], "|", f"`{test.name}`", "|", test.result, "|", reason]).rstrip()
                     + " |")
    return "\n".join(lines)


def main():
    port = own_server.start()
    keys = {"keys": [KEY.as_dict(private=False)]}
    print(json.dumps({"port": port, "app": f"http://app.localtest:{port}", "keys": keys}), flush=True)
    tests = run_all(Provider(json.loads(sys.stdin.readline()), own_server.Handler.mailbox))
    results = [{"plan": test.plan, "name": test.name, "result": test.result, "conditions": test.conditions,
                "reasons": test.reasons} for test in tests]
    print(json.dumps({"tests": results, "table": table(tests)}), flush=True)


if __name__ == "__main__":
    main()
