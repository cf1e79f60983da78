import HTTPCore
import Synchronization
package import Tenants

/// A limit's counts, which survive a reload that does not change the limit.
final class LimitCounts: Sendable {
    let salt = LimitSalt()
    let exceeded = Atomic<UInt64>(0)
}

/// One `rate_limits` entry in the form for counting: the same object for all event loops.
package final class LimitRule: Sendable {
    package let limit: RateLimit
    package let allowance: Allowance
    package let tenant: TenantIndex
    let salt: LimitSalt
    /// For clients and metrics: the limit's kind, numbered if the tenant has several.
    package let name: String
    private let policyField: HeaderField
    /// The value of `RateLimit` up to the seconds.
    private let remaining: [UInt8]
    private let tally: LimitCounts
    /// The key of all the tenant's requests; nil for other limits.
    let wholeTenant: LimitKey?

    package var isObserved: Bool { limit.mode == .observe }
    package var isShared: Bool { limit.isShared }

    /// - Parameter tally: Of the same limit in the previous configuration.
    init(_ limit: RateLimit, tenant: TenantIndex, name: String, tally: LimitCounts = LimitCounts()) {
        self.tally = tally
        salt = tally.salt
        self.limit = limit
        self.tenant = tenant
        self.name = name
        allowance = Allowance(limit)
        wholeTenant = limit.key == .tenant ? LimitKey(.tenant, salt: salt) : nil
        let window = (allowance.capacity + 999_999) / 1_000_000
        let item = Self.structured(name)
        policyField = HeaderField("RateLimit-Policy", "\(item);q=\(limit.burst);w=\(window)")
        remaining = Array("\(item);r=0;t=".utf8)
    }

    /// The limits of a tenant, in their order, with unique names: a claim's name may look like the number of a second
    /// limit.
    ///
    /// - Parameter known: The tenant's previous limits: unchanged ones keep their counts.
    package static func all(of tenant: Tenant, index: TenantIndex, known: [LimitRule] = []) -> [LimitRule] {
        var names: Set<String> = []
        return tenant.rateLimits.map { limit in
            let key = limit.key.text
            var (name, number) = (key, 1)
            while !names.insert(name).inserted {
                number += 1
                name = "\(key)-\(number)"
            }
            let before = known.first { $0.name == name && $0.limit.withoutLine == limit.withoutLine }
            return LimitRule(limit, tenant: index, name: name, tally: before?.tally ?? LimitCounts())
        }
    }

    /// How many requests exceeded it.
    var exceeded: UInt64 { tally.exceeded.load(ordering: .relaxed) }

    func countExceeded() { tally.exceeded.wrappingAdd(1, ordering: .relaxed) }

    /// - Parameter wait: Microseconds until a request is allowed.
    package func refusal(wait: UInt64) -> Refusal {
        let seconds = Int(max(1, (wait + 999_999) / 1_000_000))
        var refusal = Refusal(
            .rateLimited,
            status: 429,
            detail: "there are too many requests: try again later",
            retryAfterSeconds: seconds
        )
        refusal.fields = [policyField, HeaderField("RateLimit", remaining + Array("\(seconds)".utf8))]
        return refusal
    }

    /// A string of RFC 9651 section 3.3.3, which has visible ASCII and spaces only.
    private static func structured(_ text: String) -> String {
        var item = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { item += "\\" }
            item += (0x20..<0x7f).contains(scalar.value) ? String(scalar) : "?"
        }
        return item + "\""
    }
}

extension RateLimit.Key {
    /// As written in tenants.yaml.
    package var text: String {
        switch self {
        case .address: "ip"
        case .subject: "subject"
        case .tenant: "tenant"
        case .claim(let claim): "claim:\(claim)"
        }
    }

    /// Whether it can be checked before authentication.
    var isBeforeAuthentication: Bool {
        switch self {
        case .address, .tenant: true
        case .subject, .claim: false
        }
    }
}
