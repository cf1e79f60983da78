package import Tenants

/// The progress and the result of a decision on a request with tokens at several locations. Only such a request has
/// one.
package final class SeveralTokens {
    /// Index in `authenticate.from` of the location whose token counts; nil while that is open.
    package private(set) var counted: Int?
    /// Indices of the locations whose tokens are stale, and not for the backend.
    package private(set) var withheld: [Int] = []
    /// Owners of further tokens of the same subject, good or recently expired: a sign-out ends them too. Otherwise the
    /// next request would be signed in by the token that was left.
    private(set) var others: [Caller] = []
    /// Introspection results for tokens before the one that is being looked at.
    private(set) var introspected: [IntrospectionFinding] = []
    /// Whether the request was counted as one whose first token is stale.
    package var isCounted = false
    /// Indices of the locations whose tokens were taken out of the request.
    private var takenOut: Set<Int> = []
    /// Index of the last location whose token was looked at.
    private var lastBegun = -1

    /// Looks at the token of a location. Each may need slow steps of its own, each of them once: so there are at most as
    /// many verifications as locations.
    func begins(tokenAt source: Int, _ steps: inout DecisionSteps) {
        guard source > lastBegun else { return }
        let isFirst = lastBegun < 0
        lastBegun = source
        guard !isFirst else { return }
        if let finding = steps.introspected { introspected.append(finding) }
        steps.allowForNextToken()
    }

    func count(_ source: Int, withheld: [Int], others: [Caller]) {
        counted = source
        self.withheld = withheld
        // A pass without the stale tokens knows fewer of them.
        self.others += others.filter { other in !self.others.contains { $0 === other } }
    }

    /// The withheld tokens are being taken out of the request.
    ///
    /// - Returns: Whether that is new: what was taken out cannot be in it again.
    package func takesOut() -> Bool {
        let isNew = takenOut.isDisjoint(with: withheld)
        takenOut.formUnion(withheld)
        withheld = []
        return isNew
    }

    /// The locations whose tokens are withheld from the backend.
    package func withheldSources(of tenant: Tenant) -> [TokenSource] { withheld.map { tenant.authenticate.from[$0] } }
}
