import Authorization
import Testing
import UpstreamTestSupport
import Verification

@testable import Tenants

/// Tokens among the subprotocols of a WebSocket's handshake.
struct WebSocketProtocolsTests {
    private static let field = TokenSource.header(name: "Sec-WebSocket-Protocol")

    /// - Parameters:
    ///   - strips: Whether the token is removed from the request to the backend.
    ///   - isConfigured: Whether the tenant looks for tokens in this field.
    private func pipeline(strips: Bool = false, isConfigured: Bool = true) throws -> RequestPipeline {
        let identity = Identity(token: strips ? .strip : .keep)
        let sources: [TokenSource] = isConfigured ? [Self.field] : [.bearer]
        return RequestPipeline([try RequestPipeline.tenant(from: sources, identity: identity)])
    }

    private func request(_ lines: String...) -> [UInt8] {
        RequestPipeline.request("/ws", lines: lines)
    }

    @Test func subprotocolInJWTFormIsTakenAsToken() throws {
        let token = try RequestPipeline.token()
        let pipeline = try pipeline()
        #expect(pipeline.ask(request("Sec-WebSocket-Protocol: chat.v2, \(token), bearer")).grant != nil)
        #expect(
            pipeline.ask(request("Sec-WebSocket-Protocol: bearer", "Sec-WebSocket-Protocol: \(token)")).grant != nil
        )
        #expect(pipeline.ask(request("Sec-WebSocket-Protocol: chat.v2, bearer")).refusal?.code == .missingToken)
        let forged = try RequestPipeline.token(forged: true)
        #expect(pipeline.ask(request("Sec-WebSocket-Protocol: \(forged)")).refusal?.code == .invalidToken)
    }

    @Test func twoSubprotocolTokensAreRefused() throws {
        let token = try RequestPipeline.token()
        let other = try RequestPipeline.token(["sub": "bob"])
        let pipeline = try pipeline()
        #expect(pipeline.ask(request("Sec-WebSocket-Protocol: \(token), \(other)")).refusal?.code == .badRequest)
        #expect(pipeline.ask(request("Sec-WebSocket-Protocol: \(token), \(token)")).grant != nil)
    }

    @Test func subprotocolTokenIsIgnoredIfNotConfigured() throws {
        let token = try RequestPipeline.token()
        let pipeline = try pipeline(isConfigured: false)
        #expect(pipeline.ask(request("Sec-WebSocket-Protocol: \(token)")).refusal?.code == .missingToken)
    }

    @Test func onlyTheTokenIsStrippedForTheBackend() throws {
        let token = try RequestPipeline.token()
        let bytes = request("Sec-WebSocket-Protocol: chat.v2, \(token), bearer", "Sec_WebSocket_Protocol: \(token)")
        #expect(try protocols(pipeline(strips: true), bytes) == ["Sec-WebSocket-Protocol: chat.v2, bearer"])
        #expect(try protocols(pipeline(), bytes) == ["Sec-WebSocket-Protocol: chat.v2, \(token), bearer"])
    }

    @Test func listWithOnlyTheTokenIsRemoved() throws {
        let token = try RequestPipeline.token()
        #expect(try protocols(pipeline(strips: true), request("Sec-WebSocket-Protocol: \(token)")) == [])
    }

    /// The lines of this field that the backend gets, in any case and with `-` or `_`.
    private func protocols(_ pipeline: RequestPipeline, _ bytes: [UInt8]) throws -> [String] {
        let written = try #require(pipeline.forwardedBytes(bytes, from: RequestPipeline.peer()))
        return String(decoding: written, as: UTF8.self).split(separator: "\r\n").map(String.init).filter {
            $0.lowercased().replacing("_", with: "-").hasPrefix("sec-websocket-protocol")
        }
    }
}
