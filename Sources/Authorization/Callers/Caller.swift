package import HTTPCore
package import SharedState
package import Tenants
package import Time
package import Verification

/// A verified caller: what a principal means to one tenant, derived once per token.
package final class Caller {
    package let principal: Principal
    package internal(set) var lifetime: TokenLifetime
    /// By the index of a rate limit for callers: the subject it counts for. Nil until needed.
    var limitSubjects: [CallerLimitSubject?]?
    /// Nil until needed.
    package var refreshMemory: RefreshMemory?
    /// When the token may next be exchanged for a session of the tenant's own issuer (`refresh.adopt`); `.distantFuture`
    /// if it is not, as nearly all.
    package var adoptedFrom: MonotonicTime
    /// The identity fields, each with its CRLF, ready to be copied into a head.
    package let identityLines: [UInt8]
    /// The same as names and values. Nil until another proxy asks.
    private var knownIdentityFields: [HeaderField]?
    /// `sub`, escaped for a JSON string.
    package let subjectInJSON: [UInt8]
    /// For servers that are chosen by subject.
    package let subjectHash: UInt64
    /// The subjects by which the caller can be revoked.
    package let marks: RevocationMarks
    /// The token's binding; nil for a plain bearer token.
    package let confirmation: Confirmation?
    /// The generation of the tenant's revocations in which it was last looked up and not found.
    var clearedBy: UInt64 = 0
    /// By the index of an access rule: its verdict on this caller. The last one is the default rule's.
    private var verdicts: [RuleVerdict?]

    /// - Parameter introspection: How long an introspection result holds; nil for a signed token.
    init(_ principal: Principal, tenant: Tenant, introspection: IntrospectionLifetime? = nil) {
        self.principal = principal
        lifetime = TokenLifetime(principal, tenant, introspection)
        adoptedFrom = AdoptedTokens.areAdopted(principal, tenant) ? .distantPast : .distantFuture
        var lines: [UInt8] = []
        Self.forEachIdentityField(principal, tenant) { name, text in
            lines += name.utf8
            lines += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            lines += text.utf8
            lines += [0x0d, 0x0a]
        }
        identityLines = lines
        marks = RevocationMarks(principal)
        confirmation = Confirmation(principal.claims)
        subjectHash = StableHash.of((principal.subject ?? "").utf8)
        subjectInJSON = JSONText.escaped(principal.subject ?? "")
        verdicts = Array(repeating: nil, count: tenant.access.rules.count)
    }

    /// The identity fields, in the tenant's order; fields without a claim are left out.
    ///
    /// - Parameter tenant: The one that the caller was made for.
    package func identityFields(_ tenant: Tenant) -> [HeaderField] {
        if let known = knownIdentityFields { return known }
        var fields: [HeaderField] = []
        Self.forEachIdentityField(principal, tenant) { fields.append(HeaderField($0, $1)) }
        knownIdentityFields = fields
        return fields
    }

    private static func forEachIdentityField(
        _ principal: Principal,
        _ tenant: Tenant,
        _ body: (_ name: String, _ text: String) -> Void
    ) {
        for header in tenant.identity.headers {
            if let text = principal.claimText(header.claim), !text.isEmpty { body(header.name, text) }
        }
    }

    /// The verdict of the rule at `index` on this caller; evaluated only the first time.
    func verdict(of rules: AccessRules, at index: Int) -> RuleVerdict {
        if let known = verdicts[index] { return known }
        let verdict = RuleVerdict(rules.rules[index].allow, principal)
        verdicts[index] = verdict
        return verdict
    }
}

/// Whether a rule allows a caller. Roles are checked before scopes.
enum RuleVerdict: Equatable {
    case allowed
    case lacksRole
    case lacksScope

    init(_ allow: AccessRule.Allow, _ principal: Principal) {
        switch allow {
        case .anyone: self = .allowed
        case .signedIn(let roles, let scopes):
            if !roles.isEmpty && !roles.contains(where: { Self.isNamed($0, in: principal.roles) }) {
                self = .lacksRole
            } else {
                self = scopes.allSatisfy { Self.isNamed($0, in: principal.scopes) } ? .allowed : .lacksScope
            }
        }
    }

    /// Compares bytes: Swift's own comparison treats canonically equivalent texts as equal.
    private static func isNamed(_ name: String, in names: [String]) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
