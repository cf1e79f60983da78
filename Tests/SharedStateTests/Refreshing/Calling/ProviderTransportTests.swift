import NIOCore
import NIOPosix
import OutgoingHTTP
import Testing

@testable import SharedState

/// The transport and a provider over loopback. The tests wait for responses; the time limit only ends a failing test.
@Suite(.timeLimit(.minutes(1))) struct ProviderTransportTests {
    private typealias Answering = @Sendable (_ request: String, _ number: Int) -> TokenEndpoint.Response

    /// Runs `body` with a transport and a provider, and takes both down again.
    private func withEndpoint<Result: Sendable>(
        timeout: Duration = .seconds(30),
        _ answer: @escaping Answering,
        _ body: (ProviderTransport, TokenEndpoint) async throws -> Result
    ) async throws -> Result {
        let http = OutgoingHTTP(group: MultiThreadedEventLoopGroup.singleton)
        let transport = ProviderTransport(http, timeout: timeout)
        let endpoint = try await TokenEndpoint(answer)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(transport, endpoint))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        await endpoint.close()
        return try result.get()
    }

    private func request(
        _ endpoint: TokenEndpoint,
        _ path: String = "/token",
        method: String = "POST",
        body: String = "secret=s3cr3t"
    ) -> RefreshHTTPRequest {
        RefreshHTTPRequest(
            method: method,
            target: "http://127.0.0.1:\(endpoint.port)\(path)",
            host: Array("app.test".utf8),
            fields: [("Accept", Array("application/json".utf8))],
            body: Array(body.utf8)
        )
    }

    /// The result of one request to a provider with this response.
    private func outcome(
        timeout: Duration = .seconds(30),
        method: String = "POST",
        _ answer: TokenEndpoint.Response
    ) async throws -> (Result<RefreshHTTPResponse, RefreshFailure>, requests: Int) {
        try await withEndpoint(timeout: timeout, { _, _ in answer }) { transport, endpoint in
            do throws(RefreshFailure) {
                return (
                    .success(try await transport.send(request(endpoint, method: method), tenant: 0)),
                    endpoint.requests.count
                )
            } catch {
                return (.failure(error), endpoint.requests.count)
            }
        }
    }

    private func trouble(_ answer: TokenEndpoint.Response) async throws -> RefreshFailure? {
        let (result, requests) = try await outcome(answer)
        // None is ever tried again.
        #expect(requests == 1)
        return result.trouble
    }

    // MARK: Requests

    @Test func requestIsSentUnchanged() async throws {
        try await withEndpoint({ _, _ in .status("200 OK", [], Array("{}".utf8)) }) { transport, endpoint in
            let response = try await transport.send(request(endpoint, "/token?a=b"), tenant: 3)
            #expect(response.status == 200)
            #expect(response.body == Array("{}".utf8))
            let sent = try #require(endpoint.requests.first).components
            #expect(sent.line == "POST /token?a=b HTTP/1.1")
            #expect(
                sent.fields == ["accept: application/json", "content-length: 13", "host: 127.0.0.1:\(endpoint.port)"]
            )
            #expect(sent.body == "secret=s3cr3t")
        }
    }

    @Test func emptyPostHasAContentLength() async throws {
        try await withEndpoint({ _, _ in .status("200 OK") }) { transport, endpoint in
            _ = try await transport.send(request(endpoint, body: ""), tenant: 0)
            #expect(try #require(endpoint.requests.first).components.fields.contains("content-length: 0"))
        }
    }

    @Test(arguments: ["GET", "PUT", "PATCH"])
    func methodFollowsTheRules(method: String) async throws {
        let (result, _) = try await outcome(method: method, .status("200 OK", [], Array("{}".utf8)))
        #expect(try result.get().body == Array("{}".utf8))
    }

    @Test func oneConnectionServesCallsInTurn() async throws {
        try await withEndpoint({ _, _ in .status("200 OK") }) { transport, endpoint in
            for _ in 0..<5 { _ = try await transport.send(request(endpoint), tenant: 0) }
            #expect(endpoint.requests.count == 5)
            #expect(endpoint.connections == 1)
        }
    }

    @Test func connectionsAreBounded() async throws {
        let limit = OutgoingHTTP.connectionsPerOrigin
        try await withEndpoint({ _, _ in .status("200 OK") }) { transport, endpoint in
            let request = request(endpoint)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<(4 * limit) { group.addTask { _ = try await transport.send(request, tenant: 0) } }
                try await group.waitForAll()
            }
            #expect(endpoint.requests.count == 4 * limit)
            #expect(endpoint.connections <= limit)
        }
    }

    @Test func eachProviderHasItsOwnConnections() async throws {
        try await withEndpoint({ _, _ in .status("200 OK") }) { transport, endpoint in
            let other = try await TokenEndpoint { _, _ in .status("401 Unauthorized") }
            #expect(try await transport.send(request(endpoint), tenant: 0).status == 200)
            #expect(try await transport.send(request(other), tenant: 1).status == 401)
            #expect(endpoint.requests.count == 1 && other.requests.count == 1)
            await other.close()
        }
    }

    // MARK: Answers

    @Test(arguments: [
        "201 Created", "400 Bad Request", "429 Too Many Requests", "500 Internal Server Error", "503 Go Away",
    ])
    func everyStatusIsAnAnswer(status: String) async throws {
        let body = Array(#"{"error":"invalid_grant"}"#.utf8)
        let (result, requests) = try await outcome(.status(status, [], body))
        #expect(try result.get().status == Int(status.prefix(3)))
        #expect(try result.get().body == body)
        #expect(requests == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectsAreNotFollowed(status: Int) async throws {
        let other = try await TokenEndpoint { _, _ in .status("200 OK") }
        let location = "location: http://127.0.0.1:\(other.port)/"
        let (result, requests) = try await outcome(.status("\(status) Elsewhere", [location]))
        #expect(try result.get().status == status)
        #expect(requests == 1)
        #expect(other.connections == 0)
        await other.close()
    }

    @Test func cookiesAreNotKept() async throws {
        try await withEndpoint({ _, _ in .status("200 OK", ["set-cookie: a=b; Path=/"]) }) { transport, endpoint in
            for _ in 0..<2 { _ = try await transport.send(request(endpoint), tenant: 0) }
            #expect(!endpoint.requests.contains { $0.lowercased().contains("cookie") })
        }
    }

    @Test func responseWithoutLengthEndsWithItsConnection() async throws {
        let (result, _) = try await outcome(.raw(Array("HTTP/1.1 200 OK\r\n\r\n{}".utf8)))
        #expect(try result.get().body == Array("{}".utf8))
    }

    @Test func bodyOfMaximumLengthIsRead() async throws {
        let body = [UInt8](repeating: 0x20, count: RefreshHTTPResponse.mostBytes)
        let (result, _) = try await outcome(.status("200 OK", [], body))
        #expect(try result.get().body == body)
    }

    @Test func oversizedBodyIsRefused() async throws {
        let body = [UInt8](repeating: 0x20, count: RefreshHTTPResponse.mostBytes + 1)
        #expect(try await trouble(.status("200 OK", [], body)) == .tooLargeAnswer)
        #expect(try await trouble(.raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body)) == .tooLargeAnswer)
        // Said, but never sent.
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n".utf8)
        #expect(try await trouble(TokenEndpoint.Response(bytes: head)) == .tooLargeAnswer)
    }

    @Test func refusalStatusCountsWithAnyBody() async throws {
        let body = [UInt8](repeating: 0x20, count: RefreshHTTPResponse.mostBytes + 1)
        let (result, _) = try await outcome(.status("400 Bad Request", [], body))
        #expect(try result.get().status == 400)
        #expect(try result.get().body == [])
    }

    // MARK: Troubles

    @Test(arguments: [nil, "", "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"])
    func unfinishedResponseIsATimeout(answer: String?) async throws {
        let answer = TokenEndpoint.Response(bytes: answer.map { Array($0.utf8) })
        let (result, requests) = try await outcome(timeout: .milliseconds(200), answer)
        #expect(result.trouble == .timeout)
        // On a busy machine the time may be over before the request is there.
        #expect(requests <= 1)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nConte", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"])
    func truncatedResponseIsANetworkFailure(answer: String) async throws {
        #expect(try await trouble(.raw(Array(answer.utf8))) == .network)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
    ])
    func whatIsNotHTTPIsGarbled(answer: String) async throws {
        #expect(try await trouble(.raw(Array(answer.utf8))) == .garbledAnswer)
    }

    @Test func refusedConnectionIsANetworkFailure() async throws {
        let endpoint = try await TokenEndpoint { _, _ in .silence }
        await endpoint.close()
        let http = OutgoingHTTP(group: MultiThreadedEventLoopGroup.singleton)
        let transport = ProviderTransport(http)
        await #expect(throws: RefreshFailure.network) { try await transport.send(request(endpoint), tenant: 0) }
        await http.shutdown()
    }

    @Test(arguments: [
        "", "/token", "http://id.test/token", "ftp://127.0.0.1/", "https://user@id.test/", "https:///token",
    ])
    func otherAddressesAreNotCalled(target: String) async throws {
        let http = OutgoingHTTP(group: MultiThreadedEventLoopGroup.singleton)
        let transport = ProviderTransport(http)
        let request = RefreshHTTPRequest(method: "POST", target: target, host: [], fields: [], body: [])
        await #expect(throws: RefreshFailure.network) { try await transport.send(request, tenant: 0) }
        await http.shutdown()
    }

    // MARK: The end

    @Test func shutdownEndsPresentAndLaterCalls() async throws {
        let http = OutgoingHTTP(group: MultiThreadedEventLoopGroup.singleton)
        let transport = ProviderTransport(http)
        let endpoint = try await TokenEndpoint { _, _ in .silence }
        let request = request(endpoint)
        let underWay = Task { try await transport.send(request, tenant: 0) }
        await endpoint.waitForRequests(1)
        await http.shutdown()
        await #expect(throws: RefreshFailure.network) { try await underWay.value }
        await #expect(throws: RefreshFailure.network) { try await transport.send(request, tenant: 0) }
        await endpoint.waitForTheEndOfAllConnections()
        #expect(endpoint.requests.count == 1)
        await http.shutdown()
        await endpoint.close()
    }

    @Test func anAbandonedCallClosesItsConnection() async throws {
        try await withEndpoint({ _, _ in .silence }) { transport, endpoint in
            let request = request(endpoint)
            let call = Task { try await transport.send(request, tenant: 0) }
            await endpoint.waitForRequests(1)
            call.cancel()
            await #expect(throws: RefreshFailure.network) { try await call.value }
            await endpoint.waitForTheEndOfAllConnections()
        }
    }
}

extension Result where Failure == RefreshFailure {
    fileprivate var trouble: RefreshFailure? {
        if case .failure(let trouble) = self { trouble } else { nil }
    }
}

extension String {
    /// A request apart: its first line, its fields sorted and in lower case, its body.
    fileprivate var components: (line: String, fields: [String], body: String) {
        let parts = split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n").map(String.init)
        return (lines.first ?? "", lines.dropFirst().map { $0.lowercased() }.sorted(), String(parts.last ?? ""))
    }
}
