import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import OutgoingHTTP
import TestSupport
import Testing
import Verification

@testable import SharedState
@testable import Tenants

/// The fetcher and a provider over loopback. The tests wait for responses; the time limit only ends a failing test.
@Suite(.timeLimit(.minutes(1))) struct KeySetFetcherTests {
    /// Runs `body` with a fetcher and a provider, and takes both down again.
    private func withProvider<Result: Sendable>(
        timeout: Duration = .seconds(10),
        _ answer: @escaping @Sendable (_ head: String, _ port: Int) -> ProviderServer.Response,
        _ body: (KeySetFetcher, ProviderServer) async throws -> Result
    ) async throws -> Result {
        let fetcher = KeySetFetcher(group: MultiThreadedEventLoopGroup.singleton, timeout: timeout)
        let server = try await ProviderServer(answer)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(fetcher, server))
        } catch {
            result = .failure(error)
        }
        await server.close()
        return try result.get()
    }

    private func source(_ server: ProviderServer, _ path: String = "/keys") -> RemoteKeySource {
        RemoteKeySource(location: .keySet(url: server.address + path))
    }

    /// The fetcher's result for a provider with this response.
    private func problem(
        timeout: Duration = .seconds(10),
        _ answer: @escaping @Sendable (_ head: String, _ port: Int) -> ProviderServer.Response
    ) async throws -> (problem: String?, requests: Int) {
        try await withProvider(timeout: timeout, answer) { fetcher, server in
            do throws(KeySetFetchProblem) {
                _ = try await fetcher.fetch(source(server), since: nil, at: 0)
                return (nil, server.requests.value.count)
            } catch {
                return (error.description, server.requests.value.count)
            }
        }
    }

    @Test func fetchesASetWithItsTimesAndTag() async throws {
        let keySet = try SampleKeys.keySet()
        let answer = ProviderServer.Response.keySet(
            keySet,
            ["cache-control: public, max-age=7200", "age: 200", #"etag: "one""#, "content-type: text/plain"]
        )
        try await withProvider { _, _ in
            answer
        } _: { fetcher, server in
            let record = try await fetcher.fetch(source(server), since: nil, at: 5000)
            #expect(record.keySet == keySet)
            #expect(record.entityTag == #""one""#)
            #expect(record.fetchedAt == 5000)
            #expect(record.freshUntil == 12_000)
            #expect(record.location == server.address + "/keys")
            #expect(server.requests.value.first?.hasPrefix("GET /keys HTTP/1.1\r\n") == true)
            #expect(server.requests.value.first?.lowercased().contains("if-none-match") == false)
        }
    }

    @Test func setInSmallPiecesIsRead() async throws {
        let keySet = try SampleKeys.keySet()
        var answer = ProviderServer.Response.keySet(keySet)
        answer.isDripped = true
        try await withProvider { [answer] _, _ in
            answer
        } _: { fetcher, server in
            let record = try await fetcher.fetch(source(server), since: nil, at: 0)
            #expect(record.keySet == keySet)
        }
    }

    @Test func unchangedSetIsNotTransferredAgain() async throws {
        let keySet = try SampleKeys.keySet()
        try await withProvider { head, _ in
            head.lowercased().contains("if-none-match: \"one\"\r\n")
                ? .raw("HTTP/1.1 304 Not Modified\r\ncache-control: max-age=600\r\n\r\n")
                : .keySet(keySet, [#"etag: "one""#])
        } _: { fetcher, server in
            let first = try await fetcher.fetch(source(server), since: nil, at: 0)
            let second = try await fetcher.fetch(source(server), since: first, at: 300)
            #expect(server.requests.value.count == 2)
            #expect(second.keySet == keySet)
            #expect(second.entityTag == #""one""#)
            #expect(second.fetchedAt == 300)
            #expect(second.freshUntil == 900)
        }
    }

    @Test func redirectsAreFollowedAtTheSameHost() async throws {
        let keySet = try SampleKeys.keySet()
        try await withProvider { head, port in
            if head.hasPrefix("GET /keys ") { return .status("302 Found", ["location: /second"]) }
            if head.hasPrefix("GET /second ") {
                return .status("307 Temporary Redirect", ["location: http://127.0.0.1:\(port)/third"])
            }
            if head.hasPrefix("GET /third ") { return .status("308 Permanent Redirect", ["location: last?a=b"]) }
            return head.hasPrefix("GET /last?a=b ") ? .keySet(keySet) : .status("404 Not Found")
        } _: { fetcher, server in
            let record = try await fetcher.fetch(source(server), since: nil, at: 0)
            #expect(record.keySet == keySet)
        }
    }

    @Test func redirectLoopEnds() async throws {
        let (problem, requests) = try await problem { _, _ in .status("302 Found", ["location: /keys"]) }
        #expect(problem == "more than 3 redirects")
        #expect(requests == 4)
    }

    @Test(arguments: [
        "https://127.0.0.1/", "http://localhost/", "http://127.0.0.1:1/", "//id.test/keys", "ftp://a/", "",
    ])
    func aRedirectElsewhereIsNotFollowed(_ location: String) async throws {
        let (problem, requests) = try await problem { _, _ in .status("301 Moved", ["location: \(location)"]) }
        #expect(problem == "answered 301, which leads to another host")
        #expect(requests == 1)
    }

    @Test(arguments: ["500 Oh", "404 Not Found", "204 No Content", "206 Partial Content", "401 Unauthorized"])
    func onlyStatus200IsAccepted(_ status: String) async throws {
        let (problem, _) = try await problem { _, _ in .status(status) }
        #expect(problem == "answered \(status.prefix(3))")
    }

    @Test func setIsLimitedToOneMebibyte() async throws {
        let largest = [UInt8](repeating: 0x20, count: 1024 * 1024)
        #expect(try await problem { _, _ in .keySet(largest) }.problem == nil)
        let tooLong = "the answer is longer than 1048576 bytes"
        let body = largest + [0x20]
        #expect(try await problem { _, _ in .keySet(body) }.problem == tooLong)
        #expect(try await problem { _, _ in .raw("HTTP/1.1 200 OK\r\n\r\n", body) }.problem == tooLong)
        #expect(
            try await problem { _, _ in
                .raw(
                    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n100001\r\n",
                    body + Array("\r\n0\r\n\r\n".utf8)
                )
            }.problem == tooLong
        )
        #expect(
            try await problem { _, _ in .raw("HTTP/1.1 200 OK\r\ncontent-length: 9000000000\r\n\r\n") }.problem
                == tooLong
        )
    }

    @Test func truncatedResponseFails() async throws {
        let (problem, _) = try await problem { _, _ in
            .raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n", Array("{}".utf8))
        }
        #expect(problem != nil)
        #expect(try await self.problem { _, _ in .raw("garbage\r\n\r\n") }.problem != nil)
    }

    @Test func fetchObeysItsTimeout() async throws {
        #expect(try await problem(timeout: .milliseconds(200)) { _, _ in .silence }.problem != nil)
        let half = Array("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{".utf8)
        #expect(try await problem(timeout: .milliseconds(200)) { _, _ in .init(bytes: half) }.problem != nil)
    }

    /// To a name and to an address, which fail in different ways.
    @Test(arguments: ["127.0.0.1", "localhost"])
    func missingProviderIsReportedAtOnce(host: String) async throws {
        // It stays bound: the port of a server that has ended may be another's at once.
        let closed = try ClosedPort()
        try await withProvider { _, _ in
            .silence
        } _: { fetcher, _ in
            let source = RemoteKeySource(location: .keySet(url: "http://\(host):\(closed.port)/keys"))
            await #expect(throws: KeySetFetchProblem("connection refused")) {
                try await fetcher.fetch(source, since: nil, at: 0)
            }
        }
        withExtendedLifetime(closed) {}
    }

    @Test func failuresAreDescribed() {
        let reset = IOError(errnoCode: ECONNRESET, reason: "read")
        #expect(OutgoingHTTPError(reset).description == "connection reset by peer")
        #expect(OutgoingHTTPError(HTTPParserError.invalidVersion).description == "the answer is not HTTP")
        #expect(OutgoingHTTPError(NIOSSLError.uncleanShutdown).description == "the server closed the connection")
        #expect(KeySetFetchProblem(KeySetFetchProblem("as it is")).description == "as it is")
    }

    @Test(arguments: ["http://id.test/keys", "https://user:pass@id.test/keys", "id.test"])
    func untrustedAddressesAreNotFetched(_ url: String) async throws {
        try await withProvider { _, _ in
            .silence
        } _: { fetcher, _ in
            let problem = KeySetFetchProblem("the address is not https (or http on loopback)")
            await #expect(throws: problem) {
                try await fetcher.fetch(RemoteKeySource(location: .keySet(url: url)), since: nil, at: 0)
            }
        }
    }

    /// 0.0.0.0 is this machine, but no name or address of loopback.
    @Test func plainHTTPIsUsedWhereItIsAllowed() async throws {
        let keySet = try SampleKeys.keySet()
        try await withProvider { _, _ in
            .keySet(keySet)
        } _: { fetcher, server in
            var source = RemoteKeySource(location: .keySet(url: "http://0.0.0.0:\(server.port)/keys"))
            await #expect(throws: KeySetFetchProblem.self) { try await fetcher.fetch(source, since: nil, at: 0) }
            source.allowsPlainHTTP = true
            let record = try await fetcher.fetch(source, since: nil, at: 0)
            #expect(record.keySet == keySet)
        }
    }

    @Test func problemsAreOneLine() {
        #expect(KeySetFetchProblem("a\nb\r\nc").description == "a b c")
        #expect(KeySetFetchProblem(String(repeating: "x", count: 1000)).description.count == 300)
    }
}
