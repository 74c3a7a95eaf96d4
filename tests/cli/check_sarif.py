#!/usr/bin/env python3
"""Checks what `crosslane lint --output-format sarif` writes: what SARIF 2.1.0 requires of the objects that are used, by this file's own account, and
that every reference leads somewhere. Where CROSSLANE_SARIF_SCHEMA names OASIS's schema (which is not free to be copied here) and Python has
jsonschema, that judges, too.

  check_sarif.py --crosslane COMMAND FILE...
"""
import argparse
import json
import os
import subprocess
import sys

# Of each object: what it must have, and all that it may have of what is used here.
OBJECTS = {
    "log": ({"version", "runs"}, {"$schema"}),
    "run": ({"tool", "results"}, {"columnKind", "invocations"}),
    "driver": ({"name"}, {"version", "rules"}),
    "rule": ({"id"}, {"shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"}),
    "result": ({"message", "ruleId"}, {"ruleIndex", "level", "locations", "codeFlows", "fixes", "partialFingerprints", "properties"}),
    "location": (set(), {"physicalLocation", "logicalLocations", "message"}),
    "physicalLocation": ({"artifactLocation"}, {"region", "address"}),
    "region": ({"startLine"}, {"startColumn", "endColumn", "snippet"}),
    "invocation": ({"executionSuccessful"}, {"toolExecutionNotifications"}),
    "notification": ({"message"}, {"level", "locations"}),
}
LEVELS = {"none", "note", "warning", "error"}


class Checker:
    def __init__(self):
        self.wrong = []

    def require(self, condition, what):
        if not condition:
            self.wrong.append(what)

    def shape(self, kind, value):
        required, optional = OBJECTS[kind]
        self.require(isinstance(value, dict), f"{kind} is no object: {value!r}")
        if isinstance(value, dict):
            self.require(required <= value.keys(), f"{kind} lacks {required - value.keys()}")
            self.require(value.keys() <= required | optional, f"{kind} has {value.keys() - required - optional}")

    def message(self, value):
        self.require(isinstance(value, dict) and isinstance(value.get("text"), str) and value["text"], f"no message: {value!r}")

    def location(self, value):
        self.shape("location", value)
        physical = value.get("physicalLocation", {})
        self.shape("physicalLocation", physical)
        uri = physical.get("artifactLocation", {}).get("uri")
        self.require(isinstance(uri, str) and uri.isascii() and not set(uri) & set(" <>\"{}|\\^`"), f"no URI: {uri!r}")
        if region := physical.get("region"):
            self.region(region)
        for logical in value.get("logicalLocations", []):
            self.require(isinstance(logical, dict) and "fullyQualifiedName" in logical, f"no logical location: {logical!r}")

    def region(self, region):
        self.shape("region", region)
        for key in ("startLine", "startColumn", "endColumn"):
            self.require(isinstance(region.get(key, 1), int) and region.get(key, 1) >= 1, f"{key} {region.get(key)!r}")
        self.require(region.get("endColumn", 1 << 30) >= region.get("startColumn", 1), f"a region ends before it begins: {region}")

    def result(self, result, rules):
        self.shape("result", result)
        self.message(result.get("message"))
        self.require(result.get("level") in LEVELS, f"level {result.get('level')!r}")
        index = result.get("ruleIndex", -1)
        self.require(0 <= index < len(rules) and rules[index]["id"] == result.get("ruleId"), f"ruleIndex {index}")
        self.require(isinstance(result.get("locations"), list) and result["locations"], "a result without a place")
        for location in result.get("locations", []):
            self.location(location)
        for flow in result.get("codeFlows", []):
            for thread in flow["threadFlows"]:
                self.require(thread["locations"], "a way without steps")
                for step in thread["locations"]:
                    self.location(step["location"])
                    self.message(step["location"]["message"])
        for fix in result.get("fixes", []):
            self.message(fix["description"])
            for change in fix["artifactChanges"]:
                for replacement in change["replacements"]:
                    self.region(replacement["deletedRegion"])
                    self.require("text" in replacement.get("insertedContent", {}), "a replacement by nothing")

    def log(self, log):
        self.shape("log", log)
        self.require(log.get("version") == "2.1.0", f"version {log.get('version')!r}")
        for run in log.get("runs", []):
            self.shape("run", run)
            self.shape("driver", run["tool"]["driver"])
            rules = run["tool"]["driver"].get("rules", [])
            self.require(len({rule["id"] for rule in rules}) == len(rules), "a rule twice")
            for rule in rules:
                self.shape("rule", rule)
                for key in ("shortDescription", "fullDescription", "help"):
                    self.message(rule.get(key))
                self.require(rule["defaultConfiguration"]["level"] in LEVELS, "a rule's level")
            for result in run["results"]:
                self.result(result, rules)
            for invocation in run.get("invocations", []):
                self.shape("invocation", invocation)
                for notification in invocation.get("toolExecutionNotifications", []):
                    self.shape("notification", notification)
                    self.message(notification.get("message"))


def by_schema(log):
    path = os.environ.get("CROSSLANE_SARIF_SCHEMA")
    if not path:
        return []
    import jsonschema
    with open(path) as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    return [f"{list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(log)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crosslane", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    done = subprocess.run([options.crosslane, "lint", *options.files, "no such file.s", "--output-format", "sarif", "--rules", "all", "--select", "all"],
                          capture_output=True, text=True, timeout=100)
    log = json.loads(done.stdout)
    checker = Checker()
    checker.log(log)
    results = [result for run in log["runs"] for result in run["results"]]
    checker.require(any("fixes" in r for r in results) and any("codeFlows" in r for r in results), "nothing to be checked was found")
    checker.require(not log["runs"][0]["invocations"][0]["executionSuccessful"], "a file that is missing does not show")
    wrong = checker.wrong + by_schema(log)
    for line in wrong:
        print(line)
    print(f"{len(results)} results, {len(wrong)} complaints")
    return 1 if wrong or done.returncode != 2 else 0


if __name__ == "__main__":
    sys.exit(main())
