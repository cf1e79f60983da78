import Tenants
import Verification

extension LiveConfiguration {
    /// The last reloads for `GET /api/reloads`, the newest first.
    var reloadsJSON: JSONObject {
        [
            "generation": .count(current.generation),
            "reloads": .array(history.records.map { .object($0.json) }),
        ]
    }
}

extension ReloadRecord {
    fileprivate var json: JSONObject {
        [
            "at": .time(time),
            "trigger": .string(trigger.rawValue.replacing(" ", with: "_")),
            "result": .string(report.result.rawValue),
            "times": .number(JSONNumber(times)),
            "generation": .count(report.generation),
            "changes": .array(report.changes.map(JSONValue.string)),
            "keys": .array(changes.keys.map { .object($0.json) }),
            "keys_omitted": .number(JSONNumber(changes.omitted)),
            "mistakes": .array(report.mistakes.map(JSONValue.string)),
        ]
    }
}

extension KeyChange {
    fileprivate var json: JSONObject {
        [
            "key": .string(key),
            "change": .string(kind.rawValue),
            "before": before.map(JSONValue.string) ?? .null,
            "after": after.map(JSONValue.string) ?? .null,
        ]
    }
}
