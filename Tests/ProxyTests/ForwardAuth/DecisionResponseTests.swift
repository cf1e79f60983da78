import Authorization
import HTTPCore
import Proxy
import Testing
import UpstreamTestSupport

@testable import Tenants

/// The headers that another proxy has to remove from a request.
@Suite struct DecisionResponseTests {
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

    private static func removed(_ pipeline: RequestPipeline, token: String?) throws -> [String] {
        let grant = try #require(pipeline.get("/open", token: token).grant)
        guard case .pass(let pass) = DecisionResponse(.granted(grant)) else { throw NotPassed() }
        var names: [String] = []
        pass.forEachNameToRemove { names.append($0) }
        return names
    }

    private struct NotPassed: Error {}

    private static func pipeline(_ identity: Identity, from: [TokenSource] = [.bearer]) throws -> RequestPipeline {
        RequestPipeline([
            try RequestPipeline.tenant(
                from: from,
                access: [try RequestPipeline.rule("/open", .anyone)],
                identity: identity
            )
        ])
    }

    @Test func missingIdentityFieldsAreListed() throws {
        let pipeline = try Self.pipeline(Self.identity())
        #expect(try Self.removed(pipeline, token: try RequestPipeline.token()) == ["X-User"] + Self.always)
        let changed = try RequestPipeline.token(["email": nil, "role": ""])
        #expect(try Self.removed(pipeline, token: changed) == ["X-User", "X-User-Email", "X-User-Role"] + Self.always)
        #expect(
            try Self.removed(pipeline, token: nil)
                == ["X-User", "X-User-Id", "X-User-Email", "X-User-Role"] + Self.always
        )
    }

    @Test func nextNonceIsForwarded() throws {
        let pipeline = try Self.pipeline(Self.identity())
        let grant = try #require(pipeline.get("/open", token: try RequestPipeline.token()).grant)
        guard case .pass(let pass) = DecisionResponse(.granted(grant)) else { throw NotPassed() }
        let with = pass.fields(RequestPipeline.requestID, freshNonce: "n1")
        let without = pass.fields(RequestPipeline.requestID, freshNonce: nil)
        #expect(with == without + [HeaderField("DPoP-Nonce", "n1")])
        #expect(without.first == HeaderField("X-User-Id", "alice"))
    }

    @Test func strippedTokenIsListed() throws {
        let sources: [TokenSource] = [.bearer, .cookie(name: "session"), .query(name: "t"), .header(name: "X-Token")]
        let stripping = try Self.pipeline(Self.identity(token: .strip), from: sources)
        let names = try Self.removed(stripping, token: try RequestPipeline.token())
        #expect(names == ["X-User"] + Self.always + ["Authorization", "X-Token"])
        let keeping = try Self.pipeline(Self.identity(), from: sources)
        #expect(try Self.removed(keeping, token: try RequestPipeline.token()) == ["X-User"] + Self.always)
    }
}
