import IdentityProvider
import Time
import TokenSigning
import Verification

/// Signing keys as JSON of the admin API.
enum SigningKeyJSON {
    static func json(_ key: SigningKeyState) -> JSONValue {
        .object([
            "kid": .string(key.keyID),
            "state": .string(key.stage.rawValue),
            "created_at": time(key.createdAt),
            "active_from": time(key.activeFrom),
            "retires_at": time(key.retiredAt),
            "verifies_until": time(key.forgottenAt),
        ])
    }

    static func json(_ plan: RotationPlan, tenant: String, isDryRun: Bool) -> JSONObject {
        [
            "tenant": .string(tenant),
            "dry_run": .bool(isDryRun),
            "under_way": .bool(plan.isUnderWay),
            "active": .string(plan.activeKeyID),
            "next": plan.nextKeyID.map(JSONValue.string) ?? .null,
            "takes_over_at": time(plan.takesOverAt),
            "verifies_until": time(plan.verifiesUntil),
        ]
    }

    /// Null for an undecided time.
    private static func time(_ unixTime: UnixTime?) -> JSONValue {
        guard let unixTime else { return .null }
        return .string(HTTPDate.rfc3339(max(UnixTime(0), unixTime)))
    }
}
