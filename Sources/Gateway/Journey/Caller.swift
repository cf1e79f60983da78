import Tenants
import Verification

/// A verified caller as the request path wants it: what a principal means to one tenant, worked out once a token.
final class Caller {
    let principal: Principal
    /// Unix seconds from which the token is refused: its `exp` and the leeway.
    let refusedFrom: Double
    /// Unix seconds from which it is worth nothing any more, not even a refresh.
    let forgottenFrom: Double
    /// Unix seconds from which it is refreshed ahead; infinite where that is not done.
    let dueFrom: Double
    /// Nil until something is to be remembered.
    var refreshMemory: RefreshMemory?
    /// The identity fields, each with its CRLF, ready to be copied into a head.
    let identityLines: [UInt8]
    /// `sub` as it stands between the quotes of a JSON string.
    let subjectInJSON: [UInt8]
    /// For servers that are chosen by subject.
    let subjectHash: UInt64
    /// What it may be revoked by.
    let marks: RevocationMarks
    /// The generation of the tenant's revocations among which it was looked up and not found.
    var clearedBy: UInt64 = 0
    /// By the index of an access rule: what it says of this caller. The last one is the default rule's.
    private var verdicts: [RuleVerdict?]

    init(_ principal: Principal, tenant: Tenant) {
        self.principal = principal
        refusedFrom = principal.expiresAt.map { $0 + tenant.authenticate.policy.leeway } ?? .infinity
        forgottenFrom = refusedFrom + tenant.refreshGrace.secondsAsDouble
        let within = tenant.refresh?.within.secondsAsDouble ?? 0
        dueFrom = within > 0 ? principal.expiresAt.map { $0 - within } ?? .infinity : .infinity
        identityLines = tenant.identity.headers.reduce(into: []) { lines, header in
            guard let text = principal.claimText(header.claim), !text.isEmpty else { return }
            lines += header.name.utf8
            lines += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            lines += text.utf8
            lines += [0x0d, 0x0a]
        }
        marks = RevocationMarks(principal, ownIssuer: tenant.issuer?.url)
        subjectHash = StableHash.of((principal.subject ?? "").utf8)
        subjectInJSON = JSONText.escaped(principal.subject ?? "")
        verdicts = Array(repeating: nil, count: tenant.access.rules.count)
    }

    /// What the rule at `index` says of this caller; asked of the rule itself only the first time.
    func verdict(of rules: AccessRules, at index: Int) -> RuleVerdict {
        if let known = verdicts[index] { return known }
        let verdict = RuleVerdict(rules.rules[index].allow, principal)
        verdicts[index] = verdict
        return verdict
    }
}

/// Whether a rule lets a caller through. Roles are judged before scopes.
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

    /// Byte for byte: Swift's own comparison takes canonically equivalent texts for equal.
    private static func isNamed(_ name: String, in names: [String]) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}
