import TestSupport
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Random heads with random forgeries: the backend sees one identity, and it is the verified one.
struct BackendRequestPropertyTests {
    private static let identity = Identity(headers: [
        Identity.Header(name: "X-User-Id", claim: "sub"), Identity.Header(name: "X-User-Email", claim: "email"),
        Identity.Header(name: "X-Account-Tier", claim: "tier.name"),
    ])

    /// A name as a forger might write it.
    private func spelling(_ name: String, _ random: inout SplitMix64) -> String {
        let cased = String(decoding: random.anyCase(name.lowercased()), as: UTF8.self)
        return String(cased.map { $0 == "-" && random.oneIn(3) ? "_" : $0 })
    }

    private func lines(_ bearer: String, _ random: inout SplitMix64) -> [String] {
        var lines = [bearer]
        let ours = [
            "X-User-Id", "X-User-Email", "X-Account-Tier", "X-Request-Id", "X-Forwarded-For", "X-Forwarded-Host",
            "Forwarded", "X-Real-Ip", "Keep-Alive", "traceparent",
        ]
        for _ in 0..<random.below(7) {
            let name = random.pick(ours)
            lines.append("\(spelling(name, &random)):\(random.pick(["", " ", "\t"]))mallory\(random.below(9))")
        }
        for _ in 0..<random.below(3) {
            lines.append(
                "Connection: \(spelling(random.pick(ours + ["X-Free"]), &random)), \(random.pick(["x", "close"]))"
            )
        }
        for number in 0..<random.below(4) { lines.append("X-Free: \(number)") }
        return lines.shuffled(using: &random)
    }

    @Test func forgedIdentityNeverReachesBackend() throws {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(access: [try RequestPipeline.rule("/open", .anyone)], identity: Self.identity)
        ])
        let bearer = "Authorization: Bearer \(try RequestPipeline.token(["tier": ["name": "gold"]]))"
        let peers = [
            try RequestPipeline.peer(), try RequestPipeline.peer(trusted: true),
            try RequestPipeline.peer("2001:db8::1", trusted: true),
        ]
        var random = SplitMix64(seed: 60)
        for _ in 0..<2000 {
            let isKnown = !random.oneIn(4)
            let lines = lines(isKnown ? bearer : "A: b", &random)
            let request = RequestPipeline.request(isKnown ? "/x" : "/open", lines: lines)
            let reading = try pipeline.forward(request, from: random.pick(peers))
            let isRight =
                reading.values("X-User-Id") == (isKnown ? ["alice"] : [])
                && reading.values("X-User-Email") == (isKnown ? ["alice@example.test"] : [])
                && reading.values("X-Account-Tier") == (isKnown ? ["gold"] : [])
                && reading.values("X-Request-Id") == [RequestPipeline.requestID.text]
                && reading.values("X-Forwarded-For").count == 1 && reading.values("Forwarded").count == 1
                && reading.values("traceparent").count == 1 && !reading.names.contains("connection")
                && !reading.names.contains { $0.contains("_") } && reading.values("Host") == ["app.test"]
            guard isRight else {
                Issue.record("\(lines) became \(reading.names)")
                return
            }
        }
    }

    /// Heads of every kind: granted ones are written so that they parse strictly, with the same framing of the body.
    @Test func forwardedRequestParsesStrictlyWithSameFraming() throws {
        let pipeline = RequestPipeline([try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)])])
        let peer = try RequestPipeline.peer()
        var generator = RequestGenerator(seed: 61)
        var forwarded = 0
        for _ in 0..<4000 {
            let (bytes, reading) = generator.next()
            guard let written = pipeline.forwardedBytes(bytes, from: peer) else { continue }
            forwarded += 1
            guard let seen = RequestOutcome.parse(written).reading, seen.length == written.count,
                seen.framing == reading.framing, seen.method == reading.method, !seen.connectionNamesFields,
                seen.expectsContinue == reading.expectsContinue
            else {
                Issue.record("\(String(decoding: written, as: UTF8.self))")
                return
            }
        }
        #expect(forwarded > 1000)
    }

    @Test func forwardedMutationsParseStrictly() throws {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(access: [try RequestPipeline.rule("/**", .anyone)], identity: Self.identity)
        ])
        let peer = try RequestPipeline.peer(trusted: true)
        var generator = RequestGenerator(seed: 62)
        var forwarded = 0
        for _ in 0..<20_000 {
            let base = generator.next().bytes
            let bytes = generator.random.mutated(base)
            guard let written = pipeline.forwardedBytes(bytes, from: peer) else { continue }
            forwarded += 1
            guard let seen = RequestOutcome.parse(written).reading, seen.length == written.count, seen.isClean else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self))")
                return
            }
        }
        #expect(forwarded > 1000)
    }
}
