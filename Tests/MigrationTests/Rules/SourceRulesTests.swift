import Tenants
import TestSupport
import Testing

@testable import Migration

struct SourceRulesTests {
    private static let origin = Origin(file: "f", line: 1)

    private func rule(_ matcher: PathMatcher, _ decision: DraftDecision, methods: [String] = []) -> SourceRule {
        SourceRule(matcher: matcher, methods: methods, decision: decision, origin: Self.origin, name: "rule")
    }

    private func paths(_ rules: [SourceRule], otherwise: DraftDecision = .anyCaller) -> [String] {
        SourceRules.translate(rules, otherwise: otherwise).rules.map { rule in
            switch rule.decision {
            case .open: "\(rule.path) anyone"
            case .signedIn(let roles): "\(rule.path) \(roles)"
            case .closed: "\(rule.path) closed"
            }
        }
    }

    @Test func openPathsComeBeforeSignedInOnes() {
        #expect(paths([rule(.exact("/health"), .open), rule(.all, .anyCaller)]) == ["/health anyone"])
    }

    @Test func pathAboveAnOpenPrefixStaysClosed() {
        let rules = [rule(.prefix("/assets/"), .open), rule(.all, .anyCaller)]
        #expect(paths(rules) == ["/assets []", "/assets/** anyone"])
    }

    @Test func namesThatBeginLikeARestrictedPrefixAreNotOpened() {
        let found = SourceRules.translate([rule(.prefix("/admin"), .anyCaller)], otherwise: .open)
        #expect(found.rules.isEmpty, "all is for signed-in callers: \(found.rules)")
        #expect(found.notes.contains { $0.kind == .closed })
    }

    @Test func untoldRestrictionHoldsForWhatFollows() {
        let found = SourceRules.translate([rule(.untold("~x"), .closed), rule(.exact("/a"), .open)], otherwise: .open)
        #expect(found.rules.map(\.decision) == [.closed, .closed])
    }

    @Test func untoldOpeningOpensNothing() {
        let found = SourceRules.translate([rule(.untold("~x"), .open)], otherwise: .anyCaller)
        #expect(found.rules.isEmpty && found.notes.map(\.kind) == [.lost])
    }

    @Test func rulesThatAreNeverReachedAreLeftOut() {
        #expect(paths([rule(.all, .open), rule(.exact("/a"), .anyCaller)]) == ["/** anyone"])
    }

    /// Whatever the rules are, nobody passes here who was refused there.
    @Test func randomRulesAreNeverWeaker() {
        var random = SplitMix64(seed: 2_021)
        let texts = ["/", "/a", "/a/", "/a/b", "/ab", "/b", "/b/"]
        let paths = ["/", "/a", "/a/", "/a/b", "/a/bc", "/ab", "/ab/c", "/b", "/b/x", "/c", "/a/b/c"]
        let decisions: [DraftDecision] = [
            .open, .anyCaller, .signedIn(roles: ["x"]), .signedIn(roles: ["x", "y"]), .closed,
        ]
        for _ in 0..<4000 {
            let rules = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                let text = texts.randomElement(using: &random) ?? "/"
                let matcher: PathMatcher =
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: .exact(text)
                    case 1: .prefix(text)
                    case 2: .below(text.hasSuffix("/") && text != "/" ? "/a" : text)
                    case 3: .pattern("/a/*")
                    default: .prefix("/a")
                    }
                return rule(
                    matcher,
                    decisions.randomElement(using: &random) ?? .closed,
                    methods: Bool.random(using: &random) ? [] : ["GET"]
                )
            }
            let otherwise = decisions.randomElement(using: &random) ?? .closed
            let translated = SourceRules.translate(rules, otherwise: otherwise).rules
            for path in paths {
                for method in ["GET", "POST"] {
                    let before = Self.decision(rules, otherwise, method, path)
                    let after = Self.decision(translated, method, path)
                    #expect(
                        after.isAtLeastAsStrict(as: before),
                        "\(method) \(path): \(before) became \(after) in \(translated) of \(rules), else \(otherwise)"
                    )
                }
            }
        }
    }

    private static func decision(
        _ rules: [SourceRule],
        _ otherwise: DraftDecision,
        _ method: String,
        _ path: String
    ) -> DraftDecision {
        let match = rules.first { rule in
            rule.matcher.matches(path) == true && (rule.methods.isEmpty || rule.methods.contains(method))
        }
        return match?.decision ?? otherwise
    }

    private static func decision(_ rules: [DraftRule], _ method: String, _ path: String) -> DraftDecision {
        for rule in rules where rule.methods.isEmpty || rule.methods.contains(method) {
            guard let pattern = try? PathPattern(rule.path), pattern.matches(Array(path.utf8).span) else { continue }
            return rule.decision
        }
        return .anyCaller
    }
}
