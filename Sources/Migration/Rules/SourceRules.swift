import Tenants

/// A rule of another proxy: the first that matches decides.
package struct SourceRule: Sendable, Equatable {
    package var matcher: PathMatcher
    /// Empty: every method.
    package var methods: [String] = []
    package var decision: DraftDecision
    package var origin: Origin
    /// The setting that it comes from.
    package var name: String
    /// The matcher lacks paths that the rule is about.
    package var isNarrower = false
}

/// Turns the rules of another proxy into rules of `access` that let in nobody who was refused there.
///
/// Patterns of `access` have whole segments, so not every matcher has one. Of a rule that has none, or one with fewer
/// paths, the rest of the paths reaches later rules: those that may be about them become as strict as it is. A pattern
/// with one path more has a rule for that path before it.
package struct SourceRules {
    private let rules: [SourceRule]
    private let otherwise: DraftDecision
    private var written: [DraftRule] = []
    private var notes: [SourceNote] = []
    /// Rules whose paths may in part reach later ones.
    private var remaining: [SourceRule] = []

    /// - Parameters:
    ///   - rules: The first that matches decides.
    ///   - otherwise: What is decided if none matches.
    package static func translate(
        _ rules: [SourceRule],
        otherwise: DraftDecision
    ) -> (rules: [DraftRule], notes: [SourceNote]) {
        var translation = SourceRules(rules: rules, otherwise: otherwise)
        translation.run()
        return (reachable(translation.written), translation.notes)
    }

    private init(rules: [SourceRule], otherwise: DraftDecision) {
        self.rules = rules
        self.otherwise = otherwise
    }

    private mutating func run() {
        for index in rules.indices { translate(index) }
        let last = raised(otherwise, .all, nil)
        if last != .anyCaller { written.append(DraftRule(path: "/**", decision: last)) }
    }

    private mutating func translate(_ index: Int) {
        let rule = rules[index]
        guard let (pattern, fit) = rule.matcher.nearest else {
            remaining.append(rule)
            let text =
                rule.decision == .open
                ? "no pattern of \"access\" matches the paths \(rule.matcher.shown): they stay closed to others; "
                    + "write a rule for them"
                : "no pattern of \"access\" matches the paths \(rule.matcher.shown): rules below are no weaker than it"
            notes.append(SourceNote(rule.decision == .open ? .lost : .closed, rule.origin, rule.name, text))
            return
        }
        let decision = raised(rule.decision, rule.matcher, rule)
        switch fit {
        case .exact: break
        case .wider(let path):
            let there = raised(fallthroughDecision(for: path, after: index), .exact(path), rule)
            if !decision.isAtLeastAsStrict(as: there) {
                written.append(
                    DraftRule(
                        path: path.isEmpty ? "/" : path,
                        methods: rule.methods,
                        decision: there,
                        origin: rule.origin,
                        remark: "the next rule is about what is below it"
                    )
                )
            }
        case .narrower: noteNarrower(rule, pattern)
        }
        if fit == .narrower || rule.isNarrower { remaining.append(rule) }
        written.append(
            DraftRule(path: pattern, methods: rule.methods, decision: decision, origin: rule.origin, remark: nil)
        )
    }

    private mutating func noteNarrower(_ rule: SourceRule, _ pattern: String) {
        notes.append(
            SourceNote(
                .changed,
                rule.origin,
                rule.name,
                "\(rule.matcher.shown) also matches names that only begin so; here it is \(pattern)"
            )
        )
    }

    /// The decision, raised to that of earlier rules that may be about the same paths.
    private mutating func raised(_ decision: DraftDecision, _ matcher: PathMatcher, _ rule: SourceRule?)
        -> DraftDecision
    {
        var result = decision
        for earlier in remaining where earlier.matcher.mayOverlap(matcher) {
            guard !result.isAtLeastAsStrict(as: earlier.decision) else { continue }
            result = result.strictest(with: earlier.decision)
            notes.append(
                SourceNote(
                    .closed,
                    rule?.origin ?? earlier.origin,
                    rule?.name ?? earlier.name,
                    "\(matcher.shown) is as strict as \(earlier.matcher.shown) of line \(earlier.origin.line), whose "
                        + "paths no pattern of \"access\" tells apart; if it need not be, write the paths out"
                )
            )
        }
        return result
    }

    /// What the rules after one decide of a path, or something stricter.
    private func fallthroughDecision(for path: String, after index: Int) -> DraftDecision {
        var result: DraftDecision?
        for rule in rules[(index + 1)...] {
            let isMatch = rule.matcher.matches(path)
            if isMatch == false { continue }
            result = result?.strictest(with: rule.decision) ?? rule.decision
            if isMatch == true, rule.methods.isEmpty, !rule.isNarrower { return result ?? otherwise }
        }
        return result?.strictest(with: otherwise) ?? otherwise
    }

    /// Leaves out rules that are never reached, which tenants.yaml must not have, and the last ones that say what holds
    /// without them.
    private static func reachable(_ rules: [DraftRule]) -> [DraftRule] {
        var kept: [DraftRule] = []
        var known: [AccessRule] = []
        for rule in rules {
            guard let path = try? PathPattern(rule.path) else { continue }
            let access = AccessRule(path: path, methods: rule.methods, allow: .anyone)
            guard access.covering(among: known) == nil else { continue }
            known.append(access)
            kept.append(rule)
        }
        while kept.last?.decision == .anyCaller { kept.removeLast() }
        return kept
    }
}
