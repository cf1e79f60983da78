import Tenants
import Testing

@testable import IdentityProvider

/// Cross-site requests with cookies.
struct CrossSiteCheckTests {
    private static let own = "chat.localtest"

    private static func check() throws -> CrossSiteCheck {
        CrossSiteCheck(try .chat(.issuing, trustedOrigins: ["https://app.example", "https://Other.example:443/"]))
    }

    @Test(
        arguments: [
            // Origin decides if present.
            ("https://chat.localtest", nil, true),
            ("https://chat.localtest", "same-origin", true),
            ("https://chat.localtest:443", nil, true),
            ("https://CHAT.localtest", nil, true),
            ("https://chat.localtest", "none", true),
            // If they disagree, the stricter one decides.
            ("https://chat.localtest", "cross-site", false),
            ("https://chat.localtest", "same-site", false),
            ("https://app.example", "cross-site", true),
            ("https://app.example", "same-site", true),
            ("https://other.example", "cross-site", true),
            // The origin where browser sign-in ends.
            ("https://chat.example", "same-site", true),
            ("https://evil.example", nil, false),
            ("https://evil.example", "same-origin", false),
            ("https://evil.example", "none", false),
            ("http://chat.localtest", nil, false),
            ("https://chat.localtest:8443", nil, false),
            ("https://chat.localtest.evil.example", nil, false),
            ("https://app.example.evil.example", nil, false),
            ("https://app.exampl", nil, false),
            ("https://evil.example/https://chat.localtest", nil, false),
            ("https://chat.localtest https://evil.example", nil, false),
            ("https://app\u{2024}example", nil, false),
            ("null", nil, false),
            ("null", "same-origin", false),
            ("", nil, false),
            ("", "same-origin", false),
            // Then Sec-Fetch-Site.
            (nil, "same-origin", true),
            (nil, "none", true),
            (nil, "same-site", false),
            (nil, "cross-site", false),
            (nil, "", false),
            (nil, "Same-Origin", false),
            (nil, "same-origin, cross-site", false),
            // No browser, or an old one.
            (nil, nil, true),
        ] as [(String?, String?, Bool)]
    )
    func originIsCheckedThenFetchMetadata(_ origin: String?, _ fetchSite: String?, _ isAllowed: Bool) throws {
        let check = try Self.check()
        #expect(check.allows(origin: origin, fetchSite: fetchSite, authority: Self.own, isSecure: true) == isAllowed)
    }

    @Test func ownOriginIsSchemeAndAuthority() throws {
        let check = try Self.check()
        var request = EndpointRequest(
            endpoint: .sessionLogout,
            method: "POST",
            isSecure: false,
            authority: "localhost:8080",
            fields: EndpointRequest.Fields(origin: "http://localhost:8080"),
            now: 0
        )
        #expect(check.allows(request))
        request.isSecure = true
        #expect(!check.allows(request))
        request.fields.origin = "https://localhost:8080"
        #expect(check.allows(request))
    }

    @Test func eitherSchemeIsAllowedWhileUnknown() throws {
        let check = try Self.check()
        for isSecure in [true, false] {
            for (origin, isAllowed) in [
                ("http://\(Self.own)", true), ("https://\(Self.own)", true), ("https://evil.example", false),
            ] {
                let request = EndpointRequest(
                    endpoint: .sessionLogout,
                    method: "POST",
                    isSecure: isSecure,
                    isSchemeKnown: false,
                    authority: Self.own,
                    fields: EndpointRequest.Fields(origin: origin),
                    now: 0
                )
                #expect(check.allows(request) == isAllowed, "\(origin)")
            }
        }
    }

    @Test func ambiguousOriginIsRefused() throws {
        let own = "https://\(Self.own)"
        for origin in [own, "https://app.example", nil] {
            let request = EndpointRequest(
                endpoint: .sessionLogout,
                method: "POST",
                authority: Self.own,
                fields: EndpointRequest.Fields(origin: origin, isOriginAmbiguous: true),
                now: 0
            )
            #expect(try !Self.check().allows(request))
        }
    }

    @Test func onlyOwnOriginIsTrustedWithoutBrowserSignIn() throws {
        var signIn = SignIn.issuing
        signIn.web = nil
        let check = CrossSiteCheck(try .chat(signIn))
        #expect(!check.allows(origin: "https://chat.example", fetchSite: nil, authority: Self.own, isSecure: true))
        #expect(check.allows(origin: "https://\(Self.own)", fetchSite: nil, authority: Self.own, isSecure: true))
    }
}
