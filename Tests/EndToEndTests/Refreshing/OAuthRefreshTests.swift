import Foundation
import TestSupport
import Testing
import Verification

/// `send: oauth2`: the request of RFC 6749 section 6, at a provider's full URL.
@Suite struct OAuthRefreshTests {
    private static func setup(_ client: String) -> GatewaySetup {
        .refreshingCookies(call: "path: \"{provider}/oauth/token?v=2\", send: oauth2, \(client)")
    }

    /// Responds with the next text in the mailbox.
    private func refresh(_ client: String) async throws -> RecordedRequest {
        let responses = Mailbox<String>("the provider's answer")
        let script = BackendScript { exchange in
            try await exchange.body()
            try await exchange.sendOK(try await responses.next(), fields: "Content-Type: application/json\r\n")
        }
        var seen: RecordedRequest?
        try await withProvider(Self.setup(client), script) { fixture, stub, provider async throws in
            let session = try fixture.session()
            stub.end(session.old)
            responses.put(JSONWriter.text(of: .object(session.pair)))
            let response = try await fixture.request("/x", fields: [session.cookies])
            #expect(response.status == 200)
            #expect(response.fields["Set-Cookie"].count == 2)
            #expect(fixture.visits(session) == ["GET /x old", "GET /x new"])
            #expect(provider.requests.count == 1)
            #expect(provider.complaints == [])
            seen = provider.requests.first
            #expect(seen?.fields["Host"] == ["127.0.0.1:\(provider.port)"])
        }
        return try #require(seen)
    }

    @Test func confidentialClientAuthenticatesByBasic() async throws {
        let request = try await refresh("client_id: \"the app\", client_secret: \"s:e/cret of the tests\"")
        let credentials = Data("the+app:s%3Ae%2Fcret+of+the+tests".utf8).base64EncodedString()
        #expect(request.fields["Authorization"] == ["Basic \(credentials)"])
        #expect(request.body.text == "grant_type=refresh_token&refresh_token=refresh-one-9f8e7d6c5b4a")
    }
}
