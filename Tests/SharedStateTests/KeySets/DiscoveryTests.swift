import NIOPosix
import TestSupport
import Testing
import Verification

@testable import SharedState
@testable import Tenants

/// Key sets that an issuer's metadata leads to.
@Suite(.timeLimit(.minutes(1))) struct DiscoveryTests {
    private static let metadataPath = "/realm/.well-known/openid-configuration"

    /// - Parameter metadata: What the discovery document is, by the server's port.
    private func withProvider(
        _ metadata: @escaping @Sendable (_ port: Int) -> [UInt8],
        keySet: [UInt8] = Array(#"{"keys":[]}"#.utf8),
        _ body: (KeySetFetcher, ProviderServer) async throws -> Void
    ) async throws {
        let server = try await ProviderServer { head, port in
            if head.hasPrefix("GET \(Self.metadataPath) ") { return .keySet(metadata(port)) }
            guard head.hasPrefix("GET /keys ") else { return .status("404 Not Found") }
            let isKnown = head.lowercased().contains("if-none-match: \"one\"")
            return isKnown
                ? .init(bytes: Array("HTTP/1.1 304 Not Modified\r\n\r\n".utf8)) : .keySet(keySet, [#"etag: "one""#])
        }
        do {
            try await body(KeySetFetcher(group: MultiThreadedEventLoopGroup.singleton), server)
        } catch {
            Issue.record(error)
        }
        await server.close()
    }

    private static func good(_ port: Int, issuerEnd: String = "") -> [UInt8] {
        let address = "http://127.0.0.1:\(port)"
        return Array(#"{"issuer":"\#(address)/realm\#(issuerEnd)","jwks_uri":"\#(address)/keys","more":{}}"#.utf8)
    }

    private func source(_ server: ProviderServer, _ end: String = "") -> RemoteKeySource {
        RemoteKeySource(location: .discovery(issuer: server.address + "/realm" + end))
    }

    @Test func keysAreFoundThroughMetadata() async throws {
        let keySet = try SampleKeys.keySet()
        try await withProvider({ Self.good($0) }, keySet: keySet) { fetcher, server in
            let record = try await fetcher.fetch(source(server), since: nil, at: 1000)
            #expect(record.keySet == keySet)
            #expect(record.discovery == .init(keySetURL: server.address + "/keys", fetchedAt: 1000))
            #expect(record.location == "discovery:\(server.address)/realm")
        }
    }

    @Test func trailingSlashOfIssuerIsNotDoubled() async throws {
        try await withProvider({ Self.good($0, issuerEnd: "/") }) { fetcher, server in
            let record = try await fetcher.fetch(source(server, "/"), since: nil, at: 0)
            #expect(record.discovery?.keySetURL == server.address + "/keys")
        }
    }

    @Test func metadataIsFetchedAtMostHourly() async throws {
        try await withProvider({ Self.good($0) }) { fetcher, server in
            func metadataFetches() -> Int {
                server.requests.value.count { $0.hasPrefix("GET \(Self.metadataPath) ") }
            }
            let first = try await fetcher.fetch(source(server), since: nil, at: 0)
            let second = try await fetcher.fetch(source(server), since: first, at: 3599)
            #expect(metadataFetches() == 1)
            #expect(second.keySet == first.keySet)
            let third = try await fetcher.fetch(source(server), since: second, at: 3600)
            #expect(metadataFetches() == 2)
            #expect(third.discovery?.fetchedAt == 3600)
            #expect(server.requests.value.count == 5)
        }
    }

    @Test func entityTagIsNotSentToAnotherAddress() async throws {
        try await withProvider({ Self.good($0) }) { fetcher, server in
            var record = try await fetcher.fetch(source(server), since: nil, at: 0)
            record.discovery = .init(keySetURL: server.address + "/before", fetchedAt: -7200)
            _ = try await fetcher.fetch(source(server), since: record, at: 0)
            #expect(server.requests.value.last?.lowercased().contains("if-none-match") == false)
        }
    }

    @Test(arguments: [
        "http://id.test/keys", "file:///etc/keys", "https://user:pass@id.test/keys", "http://127.0.0.1.id.test/keys",
        "",
    ])
    func whereKnownMetadataMayNotLeadNobodyGoes(_ kept: String) async throws {
        try await withProvider({ Self.good($0) }) { fetcher, server in
            var record = try await fetcher.fetch(source(server), since: nil, at: 0)
            record.discovery = .init(keySetURL: kept, fetchedAt: 0)
            let next = try await fetcher.fetch(source(server), since: record, at: 1)
            #expect(next.discovery == .init(keySetURL: server.address + "/keys", fetchedAt: 1))
            #expect(server.requests.value.count == 4)
        }
    }

    @Test(arguments: [
        #"{"issuer":"http://127.0.0.1:PORT/realm/","jwks_uri":"http://127.0.0.1:PORT/keys"}"#,
        #"{"issuer":"http://127.0.0.1:PORT/REALM","jwks_uri":"http://127.0.0.1:PORT/keys"}"#,
        #"{"jwks_uri":"http://127.0.0.1:PORT/keys"}"#,
    ])
    func anotherIssuersMetadataIsRefused(_ text: String) async throws {
        try await refuses(text, "the discovery document is another issuer's")
    }

    @Test(arguments: [
        #"{"issuer":"http://127.0.0.1:PORT/realm"}"#,
        #"{"issuer":"http://127.0.0.1:PORT/realm","jwks_uri":"http://id.test/keys"}"#,
        #"{"issuer":"http://127.0.0.1:PORT/realm","jwks_uri":["https://id.test/keys"]}"#,
        #"{"issuer":"http://127.0.0.1:PORT/realm","jwks_uri":"file:///etc/keys"}"#,
    ])
    func keysElsewhereThanBehindHTTPSAreRefused(_ text: String) async throws {
        try await refuses(text, "\"jwks_uri\" of the discovery document is missing or not https")
    }

    @Test(arguments: ["", "[]", "<html>", #"{"issuer":"a","issuer":"b"}"#])
    func metadataThatIsNoObjectIsRefused(_ text: String) async throws {
        try await refuses(text, "the discovery document is not a JSON object")
    }

    @Test func metadataLengthIsLimited() async throws {
        try await refuses(
            String(repeating: " ", count: 256 * 1024 + 1),
            "the answer is longer than 262144 bytes"
        )
    }

    private func refuses(_ text: String, _ problem: String) async throws {
        try await withProvider({ port in
            Array(text.split(separator: "PORT", omittingEmptySubsequences: false).joined(separator: "\(port)").utf8)
        }) { fetcher, server in
            await #expect(throws: KeySetFetchProblem(problem)) {
                try await fetcher.fetch(source(server), since: nil, at: 0)
            }
        }
    }
}
