import Authorization
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Which URL a proof has to name.
struct RequestedURLTests {
    private func isLetIn(
        _ url: String,
        from peer: Peer,
        target: String = "/orders",
        lines: [String] = []
    ) async throws -> Bool {
        let pipeline = try ProofPipeline(peer: peer)
        let token = try pipeline.token()
        let proof = try pipeline.proof(for: token, changing: ["htu": .string(url)])
        return try await pipeline.answer(ProofPipeline.lines(token, proof) + lines, path: target).grant != nil
    }

    @Test func trustedProxyReportsTheScheme() async throws {
        let proxy = try RequestPipeline.peer(trusted: true)
        let https = ["X-Forwarded-Proto: https"]
        #expect(try await isLetIn("https://app.test/orders", from: proxy, lines: https))
        #expect(try await !isLetIn("http://app.test/orders", from: proxy, lines: https))
        #expect(try await isLetIn("http://app.test/orders", from: proxy))
        #expect(try await isLetIn("https://app.test/orders", from: proxy, lines: ["X-Forwarded-Proto: HTTPS"]))
        // Said twice, or something else: the connection counts.
        #expect(try await isLetIn("http://app.test/orders", from: proxy, lines: https + https))
        #expect(try await isLetIn("http://app.test/orders", from: proxy, lines: ["X-Forwarded-Proto: gopher"]))
    }

    @Test func untrustedSchemeIsIgnored() async throws {
        let peer = try RequestPipeline.peer()
        let https = ["X-Forwarded-Proto: https", "X-Forwarded-Host: other.test"]
        #expect(try await isLetIn("http://app.test/orders", from: peer, lines: https))
        #expect(try await !isLetIn("https://app.test/orders", from: peer, lines: https))
        #expect(try await !isLetIn("http://other.test/orders", from: peer, lines: https))
    }

    @Test func requestedURLIsAsReceived() async throws {
        let peer = try RequestPipeline.peer()
        #expect(try await isLetIn("http://app.test/a/orders", from: peer, target: "/a/./orders?x=1"))
        #expect(try await isLetIn("http://app.test/orders", from: peer, target: "http://app.test/orders"))
        #expect(try await isLetIn("http://app.test", from: peer, target: "http://app.test"))
        #expect(try await isLetIn("http://app.test/%C3%B6", from: peer, target: "/%c3%b6"))
        #expect(try await !isLetIn("http://app.test/a/orders", from: peer, target: "/a//orders"))
    }

    @Test func strippedPrefixIsPartOfTheURL() async throws {
        var tenant = try RequestPipeline.tenant(prefix: "/shop", strips: true)
        tenant.proof = ProofRules()
        let pipeline = RequestPipeline([tenant])
        pipeline.decisionContext.peer = try RequestPipeline.peer()
        let key = try SigningKey.generate(.p256)
        let token = try RequestPipeline.token(["cnf": ["jkt": .string(key.thumbprint ?? "")]])
        let signer = try ProofSigner(key, algorithm: .es256)
        for (url, isGood) in [("http://app.test/shop/orders", true), ("http://app.test/orders", false)] {
            let proof = try signer.sign(
                method: "GET",
                target: url,
                id: "1",
                at: RequestPipeline.now,
                accessToken: Array(token.utf8)
            )
            let result = pipeline.ask(RequestPipeline.request("/shop/orders", lines: ProofPipeline.lines(token, proof)))
            guard case .needs(.proof) = result else {
                #expect(!isGood && result.refusal?.proofError == .invalidProof)
                continue
            }
            #expect(isGood)
        }
    }
}
