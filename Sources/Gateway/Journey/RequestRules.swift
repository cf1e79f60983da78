import Tenants

/// The rules that bear on a request: that of its path as forwarded, and that of the reading in which slashes are
/// merged and parameters dropped, where it differs. Both must let the caller through.
struct RequestRules {
    let rules: AccessRules
    /// The places of the rules that match; nil where none does.
    let first: Int?
    let second: Int?
    let hasSecond: Bool
    /// Whether `revoke_on` names the request.
    let endsSession: Bool
    /// Whether it is a sign-in that was checked: those come ahead of the rules (contract section 9.2).
    let isSignIn: Bool

    init(
        _ router: RequestRouter,
        _ request: RoutedRequest,
        _ head: RequestHead,
        _ bytes: Span<UInt8>,
        isSignIn: Bool
    ) {
        self.isSignIn = isSignIn
        let rules = request.tenant.tenant.access
        self.rules = rules
        let method = bytes.extracting(head.method)
        endsSession = Self.endsSession(router, request, method, bytes)
        guard !rules.rules.isEmpty, request.path != .ambiguous else {
            (first, second, hasSecond) = (nil, nil, false)
            return
        }
        first = router.withMatchedPath(request, bytes) { rules.firstMatch(method: method, path: $0) }
        if request.path == .rewritten, let reduced = router.canonical.reduced {
            second = rules.firstMatch(method: method, path: reduced.span)
            hasSecond = true
        } else {
            (second, hasSecond) = (nil, false)
        }
    }

    /// In either reading: a backend that merges slashes signs out too.
    private static func endsSession(
        _ router: RequestRouter,
        _ request: RoutedRequest,
        _ method: Span<UInt8>,
        _ bytes: Span<UInt8>
    ) -> Bool {
        let tenant = request.tenant
        guard !tenant.tenant.revokeOn.isEmpty, request.path != .ambiguous else { return false }
        return router.inEitherReading(request, bytes) { tenant.endsSession(method: method, path: $0) }
    }

    var isOpenToAnyone: Bool {
        isSignIn || isOpen(first) && (!hasSecond || isOpen(second))
    }

    /// The line of the rule, where what it refuses is only observed; nil where one of those that bear on it is in force.
    var observedLine: Int? {
        guard let first, rules.rules[first].mode == .observe else { return nil }
        guard hasSecond else { return rules.rules[first].line }
        guard let second, rules.rules[second].mode == .observe else { return nil }
        return rules.rules[first].line
    }

    func refusal(of caller: Caller) -> Refusal? {
        refusal(of: caller, by: first) ?? (hasSecond ? refusal(of: caller, by: second) : nil)
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
