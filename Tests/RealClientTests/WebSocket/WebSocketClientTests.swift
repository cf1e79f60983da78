import Testing
import Verification

extension RealClients {
    /// Python's `websockets` on both sides of the gateway, which see only its intended effects.
    @Suite struct WebSocketClientTests {
        enum Way: String, CaseIterable {
            case ws
            case wss
        }

        private static func run(
            _ scenario: String,
            _ fixture: RealGateway,
            _ way: Way,
            _ target: String = "/open/socket",
            _ options: [String] = []
        ) async throws -> JSONObject {
            let port = way == .ws ? fixture.plainPort : fixture.securedPort
            let url = "\(way.rawValue)://app.test:\(port)\(target)"
            let arguments = [Program.script("websocket_client"), scenario, url, "\(port)"]
            let ca = way == .wss ? ["ca=\(fixture.authority)"] : []
            return try jsonLine(try await Program.python.succeed(arguments + ca + options))
        }

        @Test(arguments: Way.allCases)
        func everyKindOfMessageIsEchoed(_ way: Way) async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let result = try await Self.run("echo", fixture, way)
                #expect(result["text"] == "grüße")
                #expect(result["binary"] == true)
                #expect(result["fragments"] == "in three fragments")
                #expect(result["in_order"] == true)
                let opened = try jsonLine(try await fixture.backend.line())
                #expect(opened.received("x-forwarded-proto") == [way == .ws ? "http" : "https"])
                #expect(opened.received("host").first?.hasPrefix("app.test") == true)
            }
        }

        @Test(arguments: Way.allCases)
        func closeCodesPassBothWays(_ way: Way) async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let closed = try await Self.run("close", fixture, way)
                #expect(closed["code"] == 4001)
                _ = try await fixture.backend.line()
                let atBackend = try jsonLine(try await fixture.backend.line())
                #expect(atBackend["code"] == 4001)
                #expect(atBackend["reason"] == "enough")
                let wasClosed = try await Self.run("be_closed", fixture, way)
                #expect(wasClosed["code"] == 4002)
                #expect(wasClosed["reason"] == "as you wish")
            }
        }

        @Test(arguments: Way.allCases)
        func librariesUnderstandSessionEnd(_ way: Way) async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let token = try fixture.token(seconds: 5)
                let result = try await Self.run("wait", fixture, way, "/socket", ["token=\(token)"])
                #expect(result["echoed"] == "before")
                #expect(result["code"] == 1008)
                #expect(result["reason"]?.string?.isEmpty == false)
                let opened = try jsonLine(try await fixture.backend.line())
                #expect(opened.received("x-user-id") == ["alice"])
                #expect(opened.received("authorization") == [])
                let closed = try jsonLine(try await fixture.backend.line())
                #expect(closed["code"] == 1001)
            }
        }

        @Test(arguments: Way.allCases)
        func subprotocolTokenIsAccepted(_ way: Way) async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let token = try fixture.token()
                let result = try await Self.run("look", fixture, way, "/socket", ["subprotocols=chat,\(token)"])
                #expect(result["subprotocol"] == "chat")
                let opened = try jsonLine(try await fixture.backend.line())
                #expect(opened["subprotocol"] == "chat")
                #expect(opened.received("sec-websocket-protocol") == ["chat"])
                #expect(opened.received("x-user-id") == ["alice"])
            }
        }

        @Test func queryTokenIsAccepted() async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let target = "/socket?room=7&access_token=\(try fixture.token())"
                _ = try await Self.run("look", fixture, .wss, target)
                let opened = try jsonLine(try await fixture.backend.line())
                #expect(opened["target"] == "/socket?room=7")
                #expect(opened.received("x-user-id") == ["alice"])
            }
        }

        @Test(arguments: Way.allCases)
        func refusalReachesLibraryWithoutToken(_ way: Way) async throws {
            try await withRealGateway("websocket_server") { fixture async throws in
                let result = try await Self.run("look", fixture, way, "/socket")
                #expect(result["status"] == 401)
                #expect(result["challenge"] == "Bearer realm=\"app\"")
            }
        }
    }
}
