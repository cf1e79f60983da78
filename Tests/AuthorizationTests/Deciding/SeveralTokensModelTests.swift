import Authorization
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Random tokens at random locations, beside a model that says in a few lines which one counts.
struct SeveralTokensModelTests {
    private enum Kind: CaseIterable {
        case none, alice, bob, expired, forged, foreign, several
    }

    private static let sources: [TokenSource] = [
        .bearer, .cookie(name: "one"), .query(name: "token"), .header(name: "x-token"), .cookie(name: "two"),
    ]

    private static func expected(_ kinds: [Kind]) -> String {
        let places = kinds.indices.filter { kinds[$0] != .none }
        if places.isEmpty { return "401 missing_token" }
        if kinds.contains(.several) { return "400 bad_request" }
        let good = places.filter { kinds[$0] == .alice || kinds[$0] == .bob }
        if Set(good.map { kinds[$0] }).count > 1 { return "400 conflicting_tokens" }
        guard let first = good.first else {
            return kinds[places[0]] == .expired ? "401 token_expired" : "401 invalid_token"
        }
        return "\(kinds[first]) at \(first), without \(places.filter { !good.contains($0) })"
    }

    @Test func firstGoodTokenCountsWhateverIsBesideIt() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(from: Self.sources)])
        let tokens: [Kind: String] = [
            .alice: try RequestPipeline.token(), .bob: try RequestPipeline.token(["sub": "bob"]),
            .expired: try RequestPipeline.token(["exp": 1]), .forged: try RequestPipeline.token(forged: true),
            .foreign: try RequestPipeline.token(["iss": "https://former.test"]),
        ]
        var random = SplitMix64(seed: 23_5)
        for _ in 0..<3000 {
            let kinds = Self.sources.map { _ in Kind.allCases.randomElement(using: &random) ?? .none }
            var target = "/?a=b"
            var lines: [String] = []
            var cookies: [String] = []
            for (source, kind) in zip(Self.sources, kinds) where kind != .none {
                let values = kind == .several ? ["x.y.z", "z.y.x"] : [tokens[kind, default: ""]]
                for value in values {
                    switch source {
                    case .bearer: lines.append("Authorization: Bearer \(value)")
                    case .cookie(let name): cookies.append("\(name)=\(value)")
                    case .query(let name): target += "&\(name)=\(value)"
                    case .header(let name): lines.append("\(name): \(value)")
                    }
                }
            }
            if !cookies.isEmpty { lines.append("Cookie: \(cookies.joined(separator: "; "))") }
            let outcome = pipeline.ask(RequestPipeline.request(target, lines: lines.shuffled(using: &random)))
            #expect(Self.text(outcome, pipeline, kinds) == Self.expected(kinds), "\(kinds)")
        }
    }

    private static func text(_ outcome: RequestPipeline.Outcome, _ pipeline: RequestPipeline, _ kinds: [Kind]) -> String
    {
        if let refusal = outcome.refusal { return "\(refusal.status) \(refusal.code.rawValue)" }
        guard let subject = outcome.grant?.caller?.principal.subject else { return "neither refused nor granted" }
        // With one token nothing is noted of locations.
        let tokens = pipeline.decisionContext.severalTokens
        let counted = tokens?.counted ?? kinds.firstIndex { $0 != .none } ?? -1
        return "\(subject) at \(counted), without \(tokens?.withheld ?? [])"
    }
}
