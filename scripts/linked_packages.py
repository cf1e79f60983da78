#!/usr/bin/env python3
"""The Swift packages whose code is in the program: those that a target leads to, product by product.

Package.swift also names packages of the tests, and packages have targets that nothing here uses: both are left out.

Usage: linked_packages.py     prints each package's directory below .build/checkouts, a line each

The packages have to be resolved.
"""

import functools
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKOUTS = ROOT / ".build" / "checkouts"
PROGRAM = "gatehouse"


@functools.cache
def manifest(directory):
    command = ["swift", "package", "--package-path", str(directory), "dump-package"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def location(dependency):
    """Where a dependency comes from, and the traits that are asked of it; nil for a registry or a local package."""
    source = dependency.get("sourceControl", [{}])[0]
    remote = source.get("location", {}).get("remote", [{}])[0].get("urlString")
    return remote, {trait["name"] for trait in source.get("traits") or []}


def directory_of(url):
    return CHECKOUTS / url.rstrip("/").split("/")[-1].removesuffix(".git")


def enabled(package, asked):
    """The traits of a package that are on, those of its defaults among them."""
    traits = {trait["name"]: trait.get("enabledTraits", []) for trait in package.get("traits", [])}
    waiting, on = list(asked), set()
    while waiting:
        name = waiting.pop()
        if name not in on:
            on.add(name)
            waiting += traits.get(name, [])
    return on


def applies(condition, traits):
    """Whether a dependency is one on Linux, with these traits."""
    if not condition:
        return True
    platforms = condition.get("platformNames") or []
    needed = condition.get("traits") or []
    return (not platforms or "linux" in platforms) and (not needed or bool(set(needed) & traits))


class Walk:
    def __init__(self):
        self.seen = set()
        # By directory: the traits that any of the packages asks for.
        self.traits = {}
        # By directory: the directories of the packages that its code uses.
        self.uses = {}

    def target(self, directory, name):
        if (directory, name) in self.seen:
            return
        self.seen.add((directory, name))
        package = manifest(directory)
        self.uses.setdefault(directory, set())
        targets = {target["name"]: target for target in package["targets"]}
        products = {product["name"]: product for product in package["products"]}
        if name not in targets:
            # A dependency by name is a target of the package, or a product of one that it depends on.
            if name in products:
                self.product(directory, name)
            return
        on = enabled(package, self.traits.get(directory, {"default"}))
        for dependency in targets[name]["dependencies"]:
            kind, (inner, *rest) = next(iter(dependency.items()))
            if not applies(rest[-1], on):
                continue
            if kind == "product" and rest[0]:
                self.other(directory, package, rest[0], inner)
            elif kind == "byName" and inner not in targets:
                self.other(directory, package, inner, inner)
            else:
                self.target(directory, inner)

    def other(self, directory, package, identity, product):
        for dependency in package["dependencies"]:
            url, traits = location(dependency)
            if url and directory_of(url).name.lower() == identity.lower():
                there = directory_of(url)
                self.traits.setdefault(there, set()).update(traits)
                self.uses[directory].add(there)
                self.product(there, product)
                return
        raise SystemExit(f"linked_packages: {directory.name} has no dependency {identity} for {product}")

    def product(self, directory, name):
        self.uses.setdefault(directory, set())
        for product in manifest(directory)["products"]:
            if product["name"] == name:
                for target in product["targets"]:
                    self.target(directory, target)
                return
        raise SystemExit(f"linked_packages: {directory.name} has no product {name}")


@functools.cache
def linked():
    """Each linked package's directory with the directories of those that it uses; the root's own is among them."""
    walk = Walk()
    walk.target(ROOT, PROGRAM)
    return walk.uses


def main():
    for directory in sorted(linked()):
        if directory != ROOT:
            print(directory)


if __name__ == "__main__":
    main()
