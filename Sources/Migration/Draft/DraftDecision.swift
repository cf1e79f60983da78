/// What a rule of a draft decides.
package enum DraftDecision: Sendable, Equatable {
    case open
    /// Any of the roles; empty: any caller.
    case signedIn(roles: [String])
    /// Refuses everybody, until somebody has written what a restriction became that has no translation.
    case closed

    package static let anyCaller = DraftDecision.signedIn(roles: [])

    /// A role that no token has: it closes what a translation may not leave open.
    package static let closedRole = "closed-by-gatehouse-init"

    /// Whether whoever passes this one passes `other` too.
    package func isAtLeastAsStrict(as other: DraftDecision) -> Bool {
        switch (self, other) {
        case (.closed, _), (_, .open): true
        case (.open, _), (_, .closed): false
        case (.signedIn(let mine), .signedIn(let theirs)):
            theirs.isEmpty || (!mine.isEmpty && Set(mine).isSubset(of: theirs))
        }
    }

    /// A decision that lets in nobody whom one of the two refuses.
    package func strictest(with other: DraftDecision) -> DraftDecision {
        if isAtLeastAsStrict(as: other) { return self }
        if other.isAtLeastAsStrict(as: self) { return other }
        guard case .signedIn(let mine) = self, case .signedIn(let theirs) = other else { return .closed }
        // Some of whoever has a role of both has one of each.
        let both = mine.filter(theirs.contains)
        return both.isEmpty ? .closed : .signedIn(roles: both)
    }
}
