import ConfigurationText
import Counting
import Tenants
import Testing

/// Counts of access rules, over reloads and over event loops.
struct RuleCountsTests {
    private static func rule(
        _ path: String,
        _ methods: [String] = [],
        _ allow: AccessRule.Allow = .anyone,
        line: SourceLine = 0
    ) throws -> AccessRule {
        AccessRule(path: try PathPattern(path), methods: methods, allow: allow, line: line)
    }

    /// Counts 1, 2, 3… for the rules in their order, and last for the default.
    private static func counted(_ rules: [AccessRule], since: Double = 100) -> RuleCounts {
        var counts = RuleCounts(AccessRules(rules), since: .init(since))
        for index in 0...rules.count {
            for _ in 0...index { counts.count(index < rules.count ? index : nil) }
        }
        return counts
    }

    @Test func requestCountsForItsRuleOrForDefault() throws {
        let counts = Self.counted([try Self.rule("/a"), try Self.rule("/b")])
        #expect(counts.counts == [1, 2, 3])
        #expect(counts.since == [100, 100, 100])
    }

    @Test func keptRuleCountsOnWhereverItIsAndWhomeverItLetsIn() throws {
        let (a, b) = (try Self.rule("/a"), try Self.rule("/b", ["GET"], line: 7))
        let before = Self.counted([a, b])
        let changed = try Self.rule("/b", ["GET"], .signedIn(roles: ["admin"], scopes: []), line: 9)
        let after = RuleCounts(AccessRules([try Self.rule("/new"), changed, a]), since: 200, after: before)
        #expect(after.counts == [0, 2, 1, 3])
        #expect(after.since == [200, 100, 100, 100])
    }

    @Test func ruleForOtherRequestsCountsAnew() throws {
        let before = Self.counted([try Self.rule("/a", ["GET"])])
        for other in [try Self.rule("/a"), try Self.rule("/a", ["GET", "POST"]), try Self.rule("/a/**", ["GET"])] {
            let after = RuleCounts(AccessRules([other]), since: 200, after: before)
            #expect(after.counts == [0, 2])
            #expect(after.since == [200, 100])
        }
    }

    @Test func unchangedRulesKeepEverything() throws {
        let before = Self.counted([try Self.rule("/a"), try Self.rule("/b")])
        #expect(RuleCounts(AccessRules(before.items), since: 200, after: before) == before)
    }

    @Test func loopsAddUpWhileOneHasOtherRules() throws {
        let (a, b) = (try Self.rule("/a"), try Self.rule("/b"))
        var sum = RuleCounts(AccessRules([b, a]), since: 200)
        sum.add(Self.counted([a, b]))
        sum.add(Self.counted([b, a], since: 150))
        sum.add(Self.counted([b]))
        #expect(sum.counts == [4, 3, 8])
        #expect(sum.since == [100, 100, 100])
    }
}
