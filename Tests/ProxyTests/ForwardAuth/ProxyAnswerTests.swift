import Authorization
import Proxy
import Tenants
import Testing
import UpstreamTestSupport

/// What another proxy is told to take off a request.
@Suite struct ProxyAnswerTests {
    private static let always = [
        "X-Verified-Subject", "X-Verified-Email", "X-Verified-Provider", "X-Client-Certificate-Subject",
    ]

    private static func identity(token: Identity.TokenForwarding = .keep) -> Identity {
        Identity(
            headers: [
                Identity.Header(name: "X-User", claim: "nothing"), Identity.Header(name: "X-User-Id", claim: "sub"),
                Identity.Header(name: "X-User-Email", claim: "email"),
                Identity.Header(name: "X-User-Role", claim: "role"),
            ],
            token: token
        )
    }

    private static func removed(_ door: Door, token: String?) throws -> [String] {
        let grant = try #require(door.get("/open", token: token).grant)
        guard case .pass(let pass) = ProxyAnswer(.granted(grant)) else { throw NotPassed() }
        var names: [String] = []
        pass.forEachNameToRemove { names.append($0) }
        return names
    }

    private struct NotPassed: Error {}

    private static func door(_ identity: Identity, from: [TokenSource] = [.bearer]) throws -> Door {
        Door([try Door.tenant(from: from, access: [try Door.rule("/open", .anyone)], identity: identity)])
    }

    @Test func fieldsThatTheCallerDoesNotHaveAreNamed() throws {
        let door = try Self.door(Self.identity())
        #expect(try Self.removed(door, token: try Door.token()) == ["X-User"] + Self.always)
        let changed = try Door.token(["email": nil, "role": ""])
        #expect(try Self.removed(door, token: changed) == ["X-User", "X-User-Email", "X-User-Role"] + Self.always)
        #expect(
            try Self.removed(door, token: nil)
                == ["X-User", "X-User-Id", "X-User-Email", "X-User-Role"] + Self.always
        )
    }

    @Test func aNonceForTheNextProofIsHandedOn() throws {
        let door = try Self.door(Self.identity())
        let grant = try #require(door.get("/open", token: try Door.token()).grant)
        guard case .pass(let pass) = ProxyAnswer(.granted(grant)) else { throw NotPassed() }
        let with = String(decoding: pass.lines(Door.requestID, freshNonce: "n1"), as: UTF8.self)
        let without = String(decoding: pass.lines(Door.requestID, freshNonce: nil), as: UTF8.self)
        #expect(with == without + "DPoP-Nonce: n1\r\n")
        #expect(without.hasPrefix("X-User-Id: alice\r\n") && without.hasSuffix("\r\n"))
    }

    @Test func aTokenThatTheBackendShallNotSeeIsNamed() throws {
        let sources: [TokenSource] = [.bearer, .cookie(name: "session"), .query(name: "t"), .header(name: "X-Token")]
        let stripping = try Self.door(Self.identity(token: .strip), from: sources)
        let names = try Self.removed(stripping, token: try Door.token())
        #expect(names == ["X-User"] + Self.always + ["Authorization", "X-Token"])
        let keeping = try Self.door(Self.identity(), from: sources)
        #expect(try Self.removed(keeping, token: try Door.token()) == ["X-User"] + Self.always)
    }
}
