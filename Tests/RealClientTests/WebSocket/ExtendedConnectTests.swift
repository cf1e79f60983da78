import Testing
import Verification

extension RealClients {
    /// WebSockets over HTTP/2 (RFC 8441) by Python's `h2`, to a backend that speaks HTTP/1.1.
    @Suite struct ExtendedConnectTests {
        private static func run(
            _ fixture: RealGateway,
            _ path: String = "/open/socket",
            tls: Bool = false,
            options: [String] = []
        ) async throws -> JSONObject {
            let port = tls ? fixture.securedPort : fixture.plainPort
            let ca = tls ? ["ca=\(fixture.authority)"] : []
            let arguments = [Program.script("extended_connect"), "\(port)", "app.test", path]
            return try jsonLine(try await Program.python.succeed(arguments + ca + options))
        }

        /// Not an error: none, or NO_ERROR, with which a server says that it needs no more (RFC 9113 section 8.1).
        private static func isGraceful(_ reset: JSONValue?) -> Bool {
            reset == .null || reset == 0
        }

        @Test(arguments: [false, true])
        func streamBecomesWebSocket(_ tls: Bool) async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let result = try await Self.run(fixture, tls: tls)
                #expect(result["settings"]?.object?["enable_connect_protocol"] == 1)
                let response = try #require(result["answer"]?.object)
                #expect(response[":status"] == "200")
                // They belong to the handshake of HTTP/1.1, which only the backend saw.
                for name in ["connection", "upgrade", "sec-websocket-accept"] {
                    #expect(response[name] == nil, "\(name)")
                }
                #expect(result["text"] == "over HTTP/2")
                #expect(result["binary"] == true)
                #expect(result["pong"] == true)
                #expect(result["close"]?.object?["code"] == 4001)
                #expect(Self.isGraceful(result["reset"]))
                #expect(result["behind"] == 0)
                #expect(result["afterwards"] == "401")
                let opened = try jsonLine(try await fixture.backend.line())
                #expect(opened["target"] == "/open/socket")
                #expect(opened.received("origin") == ["https://app.example"])
                #expect(opened.received("x-forwarded-proto") == [tls ? "https" : "http"])
                #expect(opened.received("sec-websocket-key").count == 1)
                let closed = try jsonLine(try await fixture.backend.line())
                #expect(closed["code"] == 4001)
            }
        }

        @Test func sessionEndClosesStreamWebSocket() async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let token = try fixture.token(seconds: 6)
                let result = try await Self.run(fixture, "/socket", options: ["token=\(token)", "wait=yes"])
                #expect(result["text"] == "over HTTP/2")
                #expect(result["close"]?.object?["code"] == 1008)
                #expect(Self.isGraceful(result["reset"]))
                #expect(result["behind"] == 0)
                let opened = try jsonLine(try await fixture.backend.line())
                #expect(opened.received("x-user-id") == ["alice"])
                let closed = try jsonLine(try await fixture.backend.line())
                #expect(closed["code"] == 1001)
            }
        }

        @Test func streamWithoutTokenIsRefused() async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let result = try await Self.run(fixture, "/socket")
                let response = try #require(result["answer"]?.object)
                #expect(response[":status"] == "401")
                #expect(response["www-authenticate"] == "Bearer realm=\"app\"")
                #expect(response["content-type"] == "application/problem+json")
                #expect(result["body"]?.string?.contains("\"missing_token\"") == true)
            }
        }

        @Test func anotherVersionIsRefused() async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let response = try #require(try await Self.run(fixture, options: ["version=8"])["answer"]?.object)
                #expect(response[":status"] == "426")
                #expect(response["sec-websocket-version"] == "13")
            }
        }

        @Test func unknownProtocolIsNotOpened() async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let result = try await Self.run(fixture, options: ["protocol=connect-udp"])
                // A response that refuses it or a reset: both are valid (RFC 9220 section 3 asks for 501).
                let status = result["answer"]?.object?[":status"]?.string ?? "reset"
                #expect(status == "reset" || status.hasPrefix("4") || status.hasPrefix("5"), "\(status)")
            }
        }
    }
}
