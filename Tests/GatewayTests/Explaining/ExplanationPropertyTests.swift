import Authorization
import Tenants
import TestSupport
import Testing
import UpstreamTestSupport
import Verification

/// Properties of every explanation: it ends with the decision, the decision is that of the same request unexplained,
/// and no token is in it.
struct ExplanationPropertyTests {
    private static let paths = [
        "/", "/open/x", "/open/../admin", "/admin/x", "/admin", "/write/1?a=b", "/soon/x", "/any/x", "//admin/x",
        "/x;y=1", "/a%2fb", "/%6fpen/x", "/.gatehouse/x", "/é", "*", "/x%zz", "/admin/./x", "/soon//x",
    ]
    private static let methods = ["GET", "POST", "HEAD", "OPTIONS", "DELETE", "get"]
    private static let fields: [(name: String, value: String)] = [
        ("Origin", "https://evil.test"), ("Origin", "http://app.test"), ("Cookie", "s=abc.def.ghi"), ("Cookie", "a=b"),
        ("Authorization", "Bearer other"), ("Sec-Fetch-Site", "cross-site"), ("Content-Length", "5"),
        ("Content-Length", "x"), ("X-Forwarded-Proto", "https"), ("Connection", "Upgrade"),
    ]

    @Test func everyExplanationAgreesWithItsDecision() throws {
        var random = SplitMix64(seed: 7)
        let tokens: [String?] = [
            nil, try RequestPipeline.token(), try RequestPipeline.token(["role": "admin"]),
            try RequestPipeline.token(["exp": -1000]), try RequestPipeline.token(forged: true),
            try RequestPipeline.token(["scope": "read delete"]), "rubbish", "a.b.c",
            try RequestPipeline.token(["iss": "https://other.test"]), try RequestPipeline.token(["sub": nil]),
        ]
        let doors = [
            ExplainPipeline(try ExplainPipeline.tenant()), ExplainPipeline(try ExplainPipeline.tenant(mode: .observe)),
            ExplainPipeline(try ExplainPipeline.tenant(from: [.cookie(name: "s"), .bearer])),
            ExplainPipeline(try ExplainPipeline.tenant(from: [.query(name: "t"), .header(name: "x-token")])),
        ]
        var decisions: Set<String> = []
        for _ in 0..<4000 {
            let pipeline = doors[Int(random.next() % UInt64(doors.count))]
            let path = Self.paths[Int(random.next() % UInt64(Self.paths.count))]
            let method = Self.methods[Int(random.next() % UInt64(Self.methods.count))]
            let token = tokens[Int(random.next() % UInt64(tokens.count))]
            let fields = (0..<(random.next() % 3)).map { _ in
                Self.fields[Int(random.next() % UInt64(Self.fields.count))]
            }
            guard let report = try? pipeline.report(path, method: method, token: token, fields: fields) else {
                // A request that cannot be explained cannot be sent either.
                #expect(path == "/é")
                continue
            }
            decisions.insert(report.decision.description)
            let plain = try pipeline.plainDecision(path, method: method, token: token, fields: fields)
            #expect(report.decision == plain, "\(method) \(path) \(fields)")
            try expectSound(report, pipeline.tenant, token: token)
        }
        #expect(decisions.count >= 9, "\(decisions)")
    }

    private func expectSound(_ report: DecisionReport, _ tenant: Tenant, token: String?) throws {
        let last = try #require(report.steps.last)
        #expect(last.step == "decision" && last.text == report.decision.description)
        #expect(report.steps.count { $0.step == "decision" } == 1)
        #expect(report.steps.count >= 2)
        #expect((report.observed != nil) == report.steps.contains { $0.step == "observe" })
        for step in report.steps {
            #expect(Explanation.Step(rawValue: step.step) != nil)
            if let line = step.line { #expect(line > 0) }
            if let token, token.count > 10 { #expect(!step.text.contains(token)) }
            #expect(!step.text.contains("abc.def.ghi"))
        }
        let steps = report.json["steps"]?.array?.compactMap { $0.object?["text"]?.string }
        #expect(steps == report.steps.map(\.text))
    }
}
