import Authorization
import Tenants
import Testing
import UpstreamTestSupport
import Verification

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
        return try Door.peer(tls: tls)
    }

    private static let confirmation: JSONValue = ["x5t#S256": .string(Base64URL.encode(thumbprint))]

    @Test func theCertificateOfTheConnectionCounts() async throws {
        let lines = ["Authorization: Bearer \(try Door.token(["cnf": Self.confirmation]))"]
        let own = try ProvingDoor(nil, peer: try Self.peer(Self.thumbprint))
        #expect(try await own.answer(lines).grant?.caller?.principal.subject == "alice")
        for peer in [try Self.peer(SHA256.digest([1])), try Self.peer(nil), try Door.peer()] {
            #expect(try await ProvingDoor(nil, peer: peer).refusal(lines) == .otherCertificate)
        }
    }

    /// A proxy that shows a certificate of its own shows it for all its callers.
    @Test func whatATrustedProxyShowsIsNoneOfItsCallers() async throws {
        let lines = ["Authorization: Bearer \(try Door.token(["cnf": Self.confirmation]))"]
        let proxy = try Self.peer(Self.thumbprint).trusting([try #require(AddressRange(cidr: "0.0.0.0/0"))])
        #expect(proxy.isTrustedProxy)
        #expect(try await ProvingDoor(nil, peer: proxy).refusal(lines) == .otherCertificate)
    }

    @Test func anotherConnectionsCertificateCountsEachTime() async throws {
        let lines = ["Authorization: Bearer \(try Door.token(["cnf": Self.confirmation]))"]
        let door = try ProvingDoor(nil, peer: try Self.peer(Self.thumbprint))
        #expect(try await door.answer(lines).grant != nil)
        // What is remembered of the token says nothing of who sends it.
        door.door.circumstances.peer = try Self.peer(SHA256.digest([1]))
        #expect(try await door.refusal(lines) == .otherCertificate)
        door.door.circumstances.peer = try Self.peer(Self.thumbprint)
        #expect(try await door.answer(lines).grant != nil)
    }

    @Test func aTokenBoundToBothNeedsBoth() async throws {
        let door = try ProvingDoor(peer: try Self.peer(Self.thumbprint))
        let both: JSONValue = [
            "jkt": .string(door.thumbprint), "x5t#S256": .string(Base64URL.encode(Self.thumbprint)),
        ]
        let token = try Door.token(["cnf": both])
        let proof = try door.proof(for: token, changing: ["htu": "https://app.test/orders"])
        #expect(try await door.refusal(ProvingDoor.lines(token))?.proofError == .invalidProof)
        door.door.circumstances.peer = try Self.peer(nil)
        #expect(try await door.refusal(ProvingDoor.lines(token, proof)) == .otherCertificate)
        door.door.circumstances.peer = try Self.peer(Self.thumbprint)
        #expect(try await door.answer(ProvingDoor.lines(token, proof)).grant != nil)
    }
}
