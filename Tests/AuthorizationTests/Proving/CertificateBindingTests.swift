import Authorization
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Tokens that are bound to a client certificate (RFC 8705 section 3), and tokens that are bound to both.
struct CertificateBindingTests {
    private static let thumbprint = SHA256.digest(Array("a certificate".utf8))

    private static func peer(_ thumbprint: [UInt8]?) throws -> Peer {
        let files = ServerCertificate(certificateFile: "app.pem", keyFile: "app.key")
        let tls = PeerTLS(
            serverName: "app.test",
            files: files,
            clientSubject: thumbprint.map { _ in Array("CN=app".utf8) },
            clientCertificateThumbprint: thumbprint
        )
        return try RequestPipeline.peer(tls: tls)
    }

    private static let confirmation: JSONValue = ["x5t#S256": .string(Base64URL.encode(thumbprint))]

    @Test func certificateOfTheConnectionIsChecked() async throws {
        let lines = ["Authorization: Bearer \(try RequestPipeline.token(["cnf": Self.confirmation]))"]
        let own = try ProofPipeline(nil, peer: try Self.peer(Self.thumbprint))
        #expect(try await own.answer(lines).grant?.caller?.principal.subject == "alice")
        for peer in [try Self.peer(SHA256.digest([1])), try Self.peer(nil), try RequestPipeline.peer()] {
            #expect(try await ProofPipeline(nil, peer: peer).refusal(lines) == .otherCertificate)
        }
    }

    /// A proxy that shows a certificate of its own shows it for all its callers.
    @Test func certificateOfATrustedProxyIsNotItsCallers() async throws {
        let lines = ["Authorization: Bearer \(try RequestPipeline.token(["cnf": Self.confirmation]))"]
        let proxy = try Self.peer(Self.thumbprint).trusting([try #require(AddressRange(cidr: "0.0.0.0/0"))])
        #expect(proxy.isTrustedProxy)
        #expect(try await ProofPipeline(nil, peer: proxy).refusal(lines) == .otherCertificate)
    }

    @Test func certificateIsCheckedOnEachConnection() async throws {
        let lines = ["Authorization: Bearer \(try RequestPipeline.token(["cnf": Self.confirmation]))"]
        let pipeline = try ProofPipeline(nil, peer: try Self.peer(Self.thumbprint))
        #expect(try await pipeline.answer(lines).grant != nil)
        // The cached result of the token does not identify its sender.
        pipeline.pipeline.decisionContext.peer = try Self.peer(SHA256.digest([1]))
        #expect(try await pipeline.refusal(lines) == .otherCertificate)
        pipeline.pipeline.decisionContext.peer = try Self.peer(Self.thumbprint)
        #expect(try await pipeline.answer(lines).grant != nil)
    }

    @Test func tokenBoundToBothNeedsBoth() async throws {
        let pipeline = try ProofPipeline(peer: try Self.peer(Self.thumbprint))
        let both: JSONValue = [
            "jkt": .string(pipeline.thumbprint), "x5t#S256": .string(Base64URL.encode(Self.thumbprint)),
        ]
        let token = try RequestPipeline.token(["cnf": both])
        let proof = try pipeline.proof(for: token, changing: ["htu": "https://app.test/orders"])
        #expect(try await pipeline.refusal(ProofPipeline.lines(token))?.proofError == .invalidProof)
        pipeline.pipeline.decisionContext.peer = try Self.peer(nil)
        #expect(try await pipeline.refusal(ProofPipeline.lines(token, proof)) == .otherCertificate)
        pipeline.pipeline.decisionContext.peer = try Self.peer(Self.thumbprint)
        #expect(try await pipeline.answer(ProofPipeline.lines(token, proof)).grant != nil)
    }
}
