import Testing

@testable import IdentityProvider
@testable import Tenants

struct PasskeySiteTests {
    private static func site(
        _ hosts: [HostPattern],
        relyingParty: String = "example.com",
        after: String = "https://example.com/"
    ) throws -> PasskeySite {
        var tenant = try Tenant.chat(SignIn.issuing)
        tenant.hosts = hosts
        tenant.issuer = nil
        tenant.signIn?.web?.after = after
        return PasskeySite(PasskeyRules(relyingParty: relyingParty, name: "Shop"), of: tenant)
    }

    private static func request(_ authority: String, isSecure: Bool = true) -> EndpointRequest {
        EndpointRequest(endpoint: .webLogin, method: "GET", isSecure: isSecure, authority: authority, now: 0)
    }

    @Test(arguments: [
        ("shop.example.com", true), ("shop.example.com:443", true), ("shop.example.com:8443", false),
        ("evil.example.com", false), ("example.com.evil.test", false), ("other.test", false),
    ])
    func siteIsWhatTheConfigurationNames(authority: String, isOurs: Bool) throws {
        // A request names its own host, among all that a wildcard covers.
        let site = try Self.site([.exact("shop.example.com"), .exact("other.test"), .oneLabelBelow("example.com")])
        #expect(site.isFor(Self.request(authority)) == isOurs)
    }

    @Test func portOfThePageAfterASignInCounts() throws {
        let site = try Self.site([.oneLabelBelow("example.com")], after: "https://shop.example.com:8443/home")
        #expect(site.isFor(Self.request("shop.example.com:8443")))
        #expect(!site.isFor(Self.request("shop.example.com")))
    }

    @Test func originIsOverTLSButOnTheSameMachine() throws {
        let site = try Self.site([.exact("shop.example.com")])
        let remote = site.expectation([1], of: Self.request("shop.example.com:443", isSecure: false))
        #expect(remote.origins == ["https://shop.example.com"])
        let local = try Self.site([.exact("localhost")], relyingParty: "localhost")
        #expect(local.isFor(Self.request("localhost:8080", isSecure: false)))
        let origins = local.expectation([1], of: Self.request("localhost:8080", isSecure: false)).origins
        #expect(origins == ["https://localhost:8080", "http://localhost:8080"])
    }
}
