"""The list of tests, and what one of them has found.

A test is a module of the OpenID Foundation's conformance suite, by its name there; its conditions are written here anew
from the specifications that it names. A condition that a specification requires fails the test, one that it recommends
is a warning.
"""

MODULES = []


class Skipped(Exception):
    """The provider does not have what the test is about, and says so."""


class Stopped(Exception):
    """What follows would make no sense: a condition that it needs does not hold."""


class Test:
    """The conditions of one test, as they are checked."""

    def __init__(self, plan, name):
        self.plan, self.name = plan, name
        self.conditions, self.failures, self.warnings = 0, [], []
        self.skipped = None

    def must(self, holds, condition, section):
        self.conditions += 1
        if not holds:
            self.failures.append(f"{condition} ({section})")
        return holds

    def need(self, holds, condition, section):
        """As `must`, and ends the test."""
        if not self.must(holds, condition, section):
            raise Stopped

    def should(self, holds, condition, section):
        self.conditions += 1
        if not holds:
            self.warnings.append(f"{condition} ({section})")

    @property
    def result(self):
        if self.failures:
            return "fail"
        if self.skipped is not None:
            return "skipped"
        return "warning" if self.warnings else "pass"

    @property
    def reasons(self):
        return self.failures or ([self.skipped] if self.skipped is not None else self.warnings)


def module(plan, name):
    """Adds a function to the list."""
    def add(function):
        MODULES.append((plan, name, function))
        return function
    return add


def run(plan, name, function, provider):
    test = Test(plan, name)
    try:
        function(test, provider)
    except Skipped as reason:
        test.skipped = str(reason)
    except Stopped:
        pass
    except Exception as error:  # A response that is no JSON, for example: the others still run.
        test.failures.append(f"{type(error).__name__}: {error}")
    return test
