import Store
import Time
import Verification

/// Revocations as JSON of the admin API.
enum RevocationJSON {
    /// 10000-01-01T00:00:00Z: RFC 3339 has four digits for the year.
    private static let endOfCalendar = UnixTime(253_402_300_800)

    /// A revocation in force.
    static func json(_ record: RevocationRecord) -> JSONValue {
        var object = named(record)
        object["revoked_at"] = time(record.revokedAt)
        if ["subject", "all"].contains(record.note.kind) {
            object["accepted_from"] = time(record.revokedAt.nextSecond)
        }
        object["expires_at"] = time(record.expiresAt)
        object["reason"] = record.note.reason.map(JSONValue.string)
        return .object(object)
    }

    /// A withdrawn revocation. Its `expires_at`, which only matters to the store, is left out.
    static func withdrawn(_ record: RevocationRecord) -> JSONValue {
        var object = named(record)
        object["revoked_at"] = time(record.revokedAt)
        object["reason"] = record.note.reason.map(JSONValue.string)
        return .object(object)
    }

    private static func named(_ record: RevocationRecord) -> JSONObject {
        var object: JSONObject = ["tenant": .string(record.tenant), "kind": .string(record.note.kind)]
        object["id"] = record.note.id.map(JSONValue.string)
        object["issuer"] = record.note.issuer.map(JSONValue.string)
        return object
    }

    /// Null for never.
    private static func time(_ unixTime: UnixTime) -> JSONValue {
        guard unixTime < endOfCalendar else { return .null }
        return .string(HTTPDate.rfc3339(max(UnixTime(0), unixTime)))
    }
}
