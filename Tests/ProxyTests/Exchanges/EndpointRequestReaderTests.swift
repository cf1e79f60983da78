import Authorization
import IdentityProvider
import Tenants
import Testing
import UpstreamTestSupport

@testable import Proxy

/// The scheme and the origin of a request as an endpoint sees them.
@Suite struct EndpointRequestReaderTests {
    private func read(_ lines: [String], from peer: Peer) throws -> EndpointRequest {
        let pipeline = RequestPipeline([try RequestPipeline.tenant()])
        let bytes = RequestPipeline.request("/logout", method: "POST", lines: lines)
        let routed = try pipeline.routed(bytes)
        let question = EndpointRequestReader(
            endpoint: .sessionLogout,
            routed: routed,
            head: routed.head,
            peer: peer,
            trustedProxies: [],
            requestID: RequestPipeline.requestID
        )
        let request = question.read(bytes.span, at: RequestPipeline.now)
        return try #require(request)
    }

    @Test func schemeIsKnownIfReported() throws {
        let plain = try read([], from: RequestPipeline.peer())
        #expect(plain.isSchemeKnown && !plain.isSecure)
        let proxy = try RequestPipeline.peer(trusted: true)
        let secure = try read(["X-Forwarded-Proto: https"], from: proxy)
        #expect(secure.isSchemeKnown && secure.isSecure)
        let unsaid: [[String]] = [
            [], ["X-Forwarded-Proto: gopher"], ["X-Forwarded-Proto: https", "X-Forwarded-Proto: https"],
        ]
        for lines in unsaid {
            let request = try read(lines, from: proxy)
            #expect(!request.isSchemeKnown && !request.isSecure)
        }
    }

    @Test func repeatedOriginFieldIsAmbiguous() throws {
        let own = "Origin: http://app.test"
        let plain = try read([own, "Sec-Fetch-Site: same-origin"], from: RequestPipeline.peer())
        #expect(!plain.fields.isOriginAmbiguous)
        #expect(plain.fields.origin == "http://app.test" && plain.fields.secFetchSite == "same-origin")
        for lines in [
            ["Origin: https://evil.test", own], [own, own], [own, "Sec_Fetch_Site: none"],
            ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: none"],
        ] {
            #expect(try read(lines, from: RequestPipeline.peer()).fields.isOriginAmbiguous, "\(lines)")
        }
    }
}
