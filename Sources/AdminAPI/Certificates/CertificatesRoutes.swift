import Hummingbird
import Time
import Verification

/// `/api/certificates` of the admin listener.
struct CertificatesRoutes: Sendable {
    let certificates: @Sendable () -> [CertificateStatus]
    var now: @Sendable () -> UnixTime = { Clock.unix() }

    func add(to router: Router<AdminContext>) {
        router.get("/api/certificates") { request, _ -> Response in
            _ = try request.adminQuery([])
            return Response(json: list())
        }
    }

    /// The next to expire first.
    func list() -> JSONObject {
        let now = now()
        let sorted = certificates().sorted { ($0.notAfter, $0.file) < ($1.notAfter, $1.file) }
        return ["certificates": .array(sorted.map { .object($0.json(at: now)) })]
    }
}

extension CertificateStatus {
    private static let day = 86_400.0
    /// Most certificates are renewed with a third of their life left: 30 days of 90.
    private static let daysToRenew = 14.0

    fileprivate func json(at now: UnixTime) -> JSONObject {
        let daysLeft = ((notAfter - now) / Self.day).rounded(.down)
        return [
            "use": .string(use.rawValue),
            "file": .string(file),
            "tenants": .array(tenants.map(JSONValue.string)),
            "not_before": .time(notBefore),
            "not_after": .time(notAfter),
            "days_left": .number(JSONNumber(Int(daysLeft))),
            "state": .string(state(at: now, daysLeft: daysLeft)),
        ]
    }

    private func state(at now: UnixTime, daysLeft: Double) -> String {
        if now > notAfter { return "expired" }
        if now < notBefore { return "not_yet_valid" }
        return daysLeft < Self.daysToRenew ? "expires_soon" : "valid"
    }
}
