"""Says what a JSON Schema makes of YAML texts, as an editor would.

Standard input: {"schema": {…}, "texts": ["…"]}. Standard output: a list with an entry for each text: null where it is
good, else what is wrong with it; {"unreadable": "…"} where it is no YAML, or none that an editor would read.
The schema itself must be one of draft 2020-12.
"""

import datetime
import json
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import YAMLError


class PlainConstructor(SafeConstructor):
    """YAML 1.2 has no dates: what looks like one is text."""


PlainConstructor.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)


def read(text):
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = PlainConstructor
    value = yaml.load(text)
    assert not isinstance(value, (datetime.date, datetime.datetime))
    # Names of members are texts in JSON, whatever YAML took them for.
    return json.loads(json.dumps(value))


def verdict(validator, text):
    try:
        value = read(text)
    except (YAMLError, ValueError, TypeError) as error:
        return {"unreadable": str(error).splitlines()[0]}
    mistake = best_match(validator.iter_errors(value))
    return mistake and f"{mistake.json_path}: {mistake.message}"


def main():
    order = json.load(sys.stdin)
    Draft202012Validator.check_schema(order["schema"])
    validator = Draft202012Validator(order["schema"])
    json.dump([verdict(validator, text) for text in order["texts"]], sys.stdout)


main()
