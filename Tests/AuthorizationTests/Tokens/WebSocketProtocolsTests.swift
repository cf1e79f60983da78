import Authorization
import Tenants
import Testing
import UpstreamTestSupport
import Verification

/// Tokens among the subprotocols of a WebSocket's handshake.
struct WebSocketProtocolsTests {
    private static let field = TokenSource.header(name: "Sec-WebSocket-Protocol")

    private func door(strips: Bool = false, finds: Bool = true) throws -> Door {
        let token = Identity(token: strips ? .strip : .keep)
        return Door([try Door.tenant(from: finds ? [Self.field] : [.bearer], identity: token)])
    }

    private func request(_ lines: String...) -> [UInt8] {
        Door.request("/ws", lines: lines)
    }

    @Test func theMemberWithTheFormOfATokenIsTheToken() throws {
        let token = try Door.token()
        let door = try door()
        #expect(door.ask(request("Sec-WebSocket-Protocol: chat.v2, \(token), bearer")).grant != nil)
        #expect(door.ask(request("Sec-WebSocket-Protocol: bearer", "Sec-WebSocket-Protocol: \(token)")).grant != nil)
        #expect(door.ask(request("Sec-WebSocket-Protocol: chat.v2, bearer")).refusal?.code == .missingToken)
        let forged = try Door.token(forged: true)
        #expect(door.ask(request("Sec-WebSocket-Protocol: \(forged)")).refusal?.code == .invalidToken)
    }

    @Test func twoTokensAreOneTooMany() throws {
        let token = try Door.token()
        let other = try Door.token(["sub": "bob"])
        let door = try door()
        #expect(door.ask(request("Sec-WebSocket-Protocol: \(token), \(other)")).refusal?.code == .badRequest)
        #expect(door.ask(request("Sec-WebSocket-Protocol: \(token), \(token)")).grant != nil)
    }

    @Test func noTokenIsFoundWhereNoneIsLookedFor() throws {
        let token = try Door.token()
        #expect(try door(finds: false).ask(request("Sec-WebSocket-Protocol: \(token)")).refusal?.code == .missingToken)
    }

    @Test func onlyTheTokenIsTakenOutForTheBackend() throws {
        let token = try Door.token()
        let bytes = request("Sec-WebSocket-Protocol: chat.v2, \(token), bearer", "Sec_WebSocket_Protocol: \(token)")
        #expect(try protocols(door(strips: true), bytes) == ["Sec-WebSocket-Protocol: chat.v2, bearer"])
        #expect(try protocols(door(), bytes) == ["Sec-WebSocket-Protocol: chat.v2, \(token), bearer"])
    }

    @Test func aListOfNothingButTheTokenGoesWhole() throws {
        let token = try Door.token()
        #expect(try protocols(door(strips: true), request("Sec-WebSocket-Protocol: \(token)")) == [])
    }

    /// The lines that the backend gets with these names, however they are spelled.
    private func protocols(_ door: Door, _ bytes: [UInt8]) throws -> [String] {
        let written = try #require(door.forwardedBytes(bytes, from: Door.peer()))
        return String(decoding: written, as: UTF8.self).split(separator: "\r\n").map(String.init).filter {
            $0.lowercased().replacing("_", with: "-").hasPrefix("sec-websocket-protocol")
        }
    }
}
