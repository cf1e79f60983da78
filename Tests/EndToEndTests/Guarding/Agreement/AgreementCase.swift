import TestSupport
import Verification

/// A request of the agreement table, sent on every route.
struct AgreementCase: Sendable {
    enum Token: Sendable {
        case none
        /// Signed by a key of the tenant's issuers.
        case claims(JSONObject)
        /// Sent as it is.
        case raw(String)
    }

    var number: Int
    var tenant: AgreementTenant
    var method: String
    var target: String
    var token: Token
    /// Besides the token.
    var fields: [(name: String, value: String)]

    /// Whether the gateway forwards the path unchanged. If a proxy forwards the request, other paths may be refused as
    /// ambiguous or normalized before the query.
    var hasPlainPath: Bool { !Self.unusualPaths.contains { target == tenant.prefix + $0 } }

    /// The same with the path as Envoy normalizes it; nil if Envoy refuses it.
    var asEnvoyReadsIt: AgreementCase? {
        let readings = ["/..": "/", "/open/..;/admin": "/admin"]
        guard let path = readings.first(where: { target == tenant.prefix + $0.key }) else { return nil }
        var other = self
        other.target = path.key == "/.." ? path.value : tenant.prefix + path.value
        return other
    }

    /// - Parameter issuer: Signs the claims.
    func tokenText(_ issuer: TestIssuer) throws -> String? {
        switch token {
        case .none: nil
        case .raw(let text): text
        case .claims(let claims): try issuer.token(claims)
        }
    }

    /// The field with the token, in the tenant's first source.
    func tokenField(_ text: String) -> (name: String, value: String) {
        tenant.isCookieFirst ? ("Cookie", "theme=dark; session=\(text)") : ("Authorization", "Bearer \(text)")
    }
}

/// The tenants of the table.
enum AgreementTenant: String, CaseIterable, Sendable {
    case app, web, shop, watch

    var host: String {
        switch self {
        case .app, .shop: "app.test"
        case .web: "web.test"
        case .watch: "watch.test"
        }
    }

    var isCookieFirst: Bool { self == .web }

    var prefix: String { self == .shop ? "/shop" : "" }
}

extension AgreementCase {
    private static let methods = ["GET", "GET", "GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]
    private static let paths = [
        "/", "/health", "/open/a", "/open/a/b?x=1", "/orders", "/orders/7?token=no", "/admin", "/admin/users",
        "/reports/daily", "/reports/daily/x", "/write", "/%61dmin", "/admin;v=1", "/admin/", "/Admin", "/open/%C3%A4",
        "/observed/x",
    ]
    private static let unusualPaths = [
        "//admin", "/open/../admin", "/open/%2e%2e/admin", "/open/%2f", "/a%5cb", "/%00", "/open/..;/admin", "/..",
        "/open/%ff", "/open//admin", "/admin//users",
    ]
    private static let claims: [JSONObject] = [
        [:], ["role": "customer"], ["role": "admin"], ["roles": .array(["guest", "admin"])],
        ["role": "admin", "scope": "write"], ["role": "customer", "scope": "read write"],
        ["scope": .array(["write", "read"])], ["exp": 1_000_000_000], ["nbf": 4_000_000_000], ["aud": "other"],
        ["aud": .array(["other", "app"])], ["iss": "https://nobody.test"], ["sub": .null], ["exp": .null],
        ["exp": "4000000000"], ["role": "driver"], ["role": .array(["customer", "driver"])],
    ]
    private static let origins: [[(name: String, value: String)]] = [
        [], [], [], [("Origin", "https://evil.example")], [("Origin", "https://trusted.example")], [("Origin", "null")],
        [("Origin", "http://web.test")], [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site"), ("Origin", "https://trusted.example")],
        [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.example")], [("Sec-Fetch-Site", "none")],
    ]

    private static let spoofs: [[(name: String, value: String)]] = [
        [], [], [], [], [("X-User-Id", "root")], [("x-user-id", "root"), ("X-Verified-Subject", "root")],
        [("X-User-Role", "admin"), ("Accept", "*/*")],
    ]

    /// Tokens in the tenant's second source, where most requests have none.
    private static let second = [nil, nil, nil, nil, nil, "not.a.token", "opaque-0123456789"]

    private static func besides(_ text: String?, _ tenant: AgreementTenant) -> [(name: String, value: String)] {
        guard let text else { return [] }
        return [tenant.isCookieFirst ? ("Authorization", "Bearer \(text)") : ("Cookie", "session=\(text)")]
    }

    /// The same cases for the same seed, whatever the run.
    static func table(seed: UInt64, count: Int) -> [AgreementCase] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { number in
            let tenant = AgreementTenant.allCases.randomElement(using: &random) ?? .app
            let path = (paths + unusualPaths).randomElement(using: &random) ?? "/"
            return AgreementCase(
                number: number,
                tenant: tenant,
                method: methods.randomElement(using: &random) ?? "GET",
                target: tenant.prefix + path,
                token: token(&random),
                fields: (origins.randomElement(using: &random) ?? []) + (spoofs.randomElement(using: &random) ?? [])
                    + besides(second.randomElement(using: &random) ?? nil, tenant)
            )
        }
    }

    private static func token(_ random: inout SplitMix64) -> Token {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: .none
        case 3: .raw("not.a.token")
        case 4: .raw("opaque-0123456789")
        case 5: .raw("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.")
        default: .claims(claims.randomElement(using: &random) ?? [:])
        }
    }
}
