import ConfigurationText
import HTTPCore
import Tenants

/// The access rules that apply to a request: that of its path as forwarded, and those of the readings in which slashes
/// are merged or parameters dropped, if they differ. All must allow the caller.
struct RequestRules {
    let rules: AccessRules
    /// The index of the matching rule; nil if none matches.
    let first: Int?
    /// The same for each further reading; empty for nearly every path.
    let others: [Int?]
    /// Whether `revoke_on` names the request.
    let endsSession: Bool
    /// Whether it is a checked sign-in, to which no rules apply.
    let isSignIn: Bool

    /// Borrows the request: an initializer owns its arguments otherwise, and each decision would copy it.
    init(_ request: borrowing RoutedRequest, _ head: RequestHead, _ bytes: Span<UInt8>, isSignIn: Bool) {
        self.isSignIn = isSignIn
        let rules = request.tenant.tenant.access
        self.rules = rules
        let method = bytes.extracting(head.method)
        endsSession = Self.endsSession(request, method, bytes)
        guard !rules.rules.isEmpty, request.path != .ambiguous else {
            (first, others) = (nil, [])
            return
        }
        first = request.request.withMatchedPath(bytes) { rules.firstMatch(method: method, path: $0) }
        if let reduced = request.request.reducedPath {
            others = ([reduced] + request.request.partlyReducedPaths).map {
                rules.firstMatch(method: method, path: $0.span)
            }
        } else {
            others = []
        }
    }

    /// In any reading: a backend that merges slashes signs out too.
    private static func endsSession(_ request: RoutedRequest, _ method: Span<UInt8>, _ bytes: Span<UInt8>) -> Bool {
        let tenant = request.tenant
        guard !tenant.tenant.revokeOn.isEmpty, request.path != .ambiguous else { return false }
        return request.request.inAnyReading(bytes) { tenant.endsSession(method: method, path: $0) }
    }

    var isOpenToAnyone: Bool {
        isSignIn || isOpen(first) && others.allSatisfy(isOpen)
    }

    /// The line of the rule, if its refusals are only observed; nil if one of the applicable rules is enforced.
    var observedLine: SourceLine? {
        guard let first, rules.rules[first].mode == .observe else { return nil }
        let areOthersObserved = others.allSatisfy { index in
            index.map { rules.rules[$0].mode == .observe } ?? false
        }
        return areOthersObserved ? rules.rules[first].line : nil
    }

    func refusal(of caller: Caller) -> Refusal? {
        if let refusal = refusal(of: caller, by: first) { return refusal }
        for index in others {
            if let refusal = refusal(of: caller, by: index) { return refusal }
        }
        return nil
    }

    private func isOpen(_ index: Int?) -> Bool {
        guard let index else { return false }
        return rules.rules[index].allow == .anyone
    }

    private func refusal(of caller: Caller, by index: Int?) -> Refusal? {
        guard let index else { return nil }
        switch caller.verdict(of: rules, at: index) {
        case .allowed: return nil
        case .lacksRole:
            return Refusal(
                .insufficientRole,
                status: 403,
                detail: "the caller has none of the roles that this path needs"
            )
        case .lacksScope:
            return Refusal(
                .insufficientScope,
                status: 403,
                detail: "the token lacks a scope that this path needs",
                neededScopes: Self.scopes(rules.rules[index].allow)
            )
        }
    }

    private static func scopes(_ allow: AccessRule.Allow) -> [String] {
        guard case .signedIn(_, let scopes) = allow else { return [] }
        return scopes
    }
}
