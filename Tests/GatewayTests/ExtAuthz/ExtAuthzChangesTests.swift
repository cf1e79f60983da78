import ExtAuthz
import Testing
import UpstreamTestSupport

@testable import Tenants

/// What Envoy changes of a request that may pass.
@Suite struct ExtAuthzChangesTests {
    private static let verified = [
        "X-Verified-Subject", "X-Verified-Email", "X-Verified-Provider", "X-Client-Certificate-Subject",
    ]

    @Test func setIdentityFieldsAreNotRemoved() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant()])
        let changes = try pipeline.changes(ExtAuthzPipeline.request(token: RequestPipeline.token()))
        #expect(changes.setTexts == ["X-User-Id: alice", "X-User-Email: alice@example.test", "X-User-Role: customer"])
        #expect(changes.removeTexts == Self.verified)
        #expect(changes.removeParameters.isEmpty)
    }

    @Test func identityFieldsWithoutValueAreRemoved() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant()])
        let changes = try pipeline.changes(
            ExtAuthzPipeline.request(token: RequestPipeline.token(["email": nil, "role": nil]))
        )
        #expect(changes.setTexts == ["X-User-Id: alice"])
        #expect(changes.removeTexts == ["X-User-Email", "X-User-Role"] + Self.verified)
    }

    @Test func identityFieldsAreRemovedOnOpenPaths() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(access: [RequestPipeline.rule("/**", .anyone)])])
        let spoofed = [("x-user-id", "root"), ("X-USER-ROLE", "admin")]
        let changes = try pipeline.changes(ExtAuthzPipeline.request(fields: spoofed))
        #expect(changes.set.isEmpty)
        let removed = Set(changes.removeTexts.map { $0.lowercased() })
        #expect(removed.isSuperset(of: ["x-user-id", "x-user-email", "x-user-role"]))
    }

    @Test func otherSpellingsOfIdentityFieldsAreRemoved() throws {
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant()])
        let spoofed = [
            ("x_user_id", "root"), ("X-User_Id", "root"), ("x.user.id", "root"), ("X-USER-ID", "root"),
            ("x_verified_subject", "root"), ("x_client_certificate_subject", "CN=root"), ("x-user-identity", "kept"),
        ]
        let changes = try pipeline.changes(ExtAuthzPipeline.request(token: RequestPipeline.token(), fields: spoofed))
        #expect(
            changes.removeTexts == Self.verified
                + ["x_user_id", "x-user_id", "x.user.id", "x_verified_subject", "x_client_certificate_subject"]
        )
        #expect(changes.setTexts.first == "X-User-Id: alice")
    }

    @Test func staleTokenBesideGoodOneIsRemoved() throws {
        let sources: [TokenSource] = [.bearer, .cookie(name: "s"), .query(name: "t"), .header(name: "x-token")]
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(from: sources)])
        let (stale, good) = (try RequestPipeline.token(["exp": 1]), try RequestPipeline.token())
        let header = try pipeline.changes(
            ExtAuthzPipeline.request(token: stale, fields: [("cookie", "a=b; s=\(good)")])
        )
        #expect(header.setTexts.first == "X-User-Id: alice")
        #expect(header.removeTexts == Self.verified + ["Authorization"])
        let others = try pipeline.changes(
            ExtAuthzPipeline.request("/?t=\(stale)", fields: [("cookie", "a=b; s=\(stale)"), ("x-token", good)])
        )
        #expect(others.setTexts.contains("Cookie: a=b"))
        #expect(others.removeParameters == [Array("t".utf8)])
        #expect(!others.removeTexts.contains("Authorization") && !others.removeTexts.contains("x-token"))
        // Observe mode changes nothing.
        let observing = try ExtAuthzPipeline([RequestPipeline.tenant(from: sources, mode: .observe)])
        let kept = try observing.changes(
            ExtAuthzPipeline.request(token: stale, fields: [("cookie", "a=b; s=\(good)")])
        )
        #expect(kept.setTexts.first == "X-User-Id: alice" && kept.removeTexts == Self.verified)
    }

    @Test func strippedBearerTokenIsRemoved() throws {
        let identity = Identity(headers: [], token: .strip)
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(identity: identity)])
        let changes = try pipeline.changes(ExtAuthzPipeline.request(token: RequestPipeline.token()))
        #expect(changes.removeTexts == Self.verified + ["Authorization"])
        let keeps = try ExtAuthzPipeline([RequestPipeline.tenant(identity: Identity(headers: [], token: .keep))])
        #expect(
            try keeps.changes(ExtAuthzPipeline.request(token: RequestPipeline.token())).removeTexts == Self.verified
        )
    }

    @Test func fieldsOfTheHeadersSectionAreUnchanged() throws {
        var tenant = try RequestPipeline.tenant()
        tenant.headers.request = HeaderRules.Changes(
            set: [HeaderRules.Field(name: "X-Api-Key", value: Secret("k"))],
            remove: ["X-Debug", "X-User-Id"]
        )
        let pipeline = try ExtAuthzPipeline([tenant])
        let fields = [("x-api-key", "1"), ("x_debug", "1"), ("x-debug", "1"), ("x_user_id", "root")]
        let changes = try pipeline.changes(ExtAuthzPipeline.request(token: RequestPipeline.token(), fields: fields))
        #expect(changes.removeTexts == Self.verified + ["x_user_id"])
    }

    @Test func proofIsStrippedWithItsToken() throws {
        for (token, removed) in [(Identity.TokenForwarding.strip, ["DPoP", "Authorization"]), (.keep, [])] {
            var tenant = try RequestPipeline.tenant(identity: Identity(headers: [], token: token))
            tenant.proof = ProofRules(need: .optional)
            let pipeline = try ExtAuthzPipeline([tenant])
            let changes = try pipeline.changes(ExtAuthzPipeline.request(token: RequestPipeline.token()))
            #expect(changes.removeTexts == Self.verified + removed)
        }
    }

    @Test func cookieKeepsOtherPairs() throws {
        let identity = Identity(headers: [], token: .strip)
        let pipeline = try ExtAuthzPipeline([
            RequestPipeline.tenant(from: [.cookie(name: "session")], identity: identity)
        ])
        let token = try RequestPipeline.token()
        let among = ExtAuthzPipeline.request(fields: [("cookie", "a=1; session=\(token); b=2")])
        #expect(try pipeline.changes(among).setTexts == ["Cookie: a=1; b=2"])
        let inTwo = ExtAuthzPipeline.request(fields: [("cookie", "a=1; session=\(token)"), ("cookie", "b=2")])
        #expect(try pipeline.changes(inTwo).setTexts == ["Cookie: a=1; b=2"])
        let alone = ExtAuthzPipeline.request(fields: [("cookie", "session=\(token)")])
        #expect(try pipeline.changes(alone).setTexts == [])
        #expect(try pipeline.changes(alone).removeTexts.contains("Cookie"))
    }

    @Test func queryTokenIsRemovedInEachSpelling() throws {
        let identity = Identity(headers: [], token: .strip)
        let pipeline = try ExtAuthzPipeline([
            RequestPipeline.tenant(from: [.query(name: "access_token")], identity: identity)
        ])
        let token = try RequestPipeline.token()
        let path = "/a?b=c&access_token=\(token)&access%5Ftoken=\(token)&access_token=\(token)"
        let parameters = try pipeline.changes(ExtAuthzPipeline.request(path)).removeParameters
        #expect(parameters.map { String(decoding: $0, as: UTF8.self) } == ["access_token", "access%5Ftoken"])
    }

    @Test func subprotocolsKeepOtherValues() throws {
        let identity = Identity(headers: [], token: .strip)
        let source = TokenSource.header(name: "sec-websocket-protocol")
        let pipeline = try ExtAuthzPipeline([RequestPipeline.tenant(from: [source], identity: identity)])
        let fields = [("sec-websocket-protocol", "chat, \(try RequestPipeline.token())")]
        let changes = try pipeline.changes(ExtAuthzPipeline.request(fields: fields))
        #expect(changes.setTexts == ["Sec-WebSocket-Protocol: chat"])
    }
}
