import Testing

@testable import Tenants

/// What `account_page` and `passkeys` come out as.
struct AccountPageTests {
    private static let text = """
        version: 1
        tenants:
          shop:
            hosts: [shop.test, "*.shop.test"]
            backend: { servers: [http://127.0.0.1:9001] }
            authenticate: { from: [bearer, "cookie:a"], issuers: [{ preset: built-in }] }
            issuer: { url: "https://shop.test", audience: a, algorithm: ES256 }
            sign_in:
              web: { login: /login, callback: /callback, provider: google, client_id: w, client_secret: s,
                     after: "https://shop.test/", cookies: { access: a, refresh: r } }
              account_page: /account/
              passkeys: { rp_id: Shop.test, name: Shop }

        """

    @Test func pageAndPasskeysAreRead() throws {
        let reading = Sample.read(Self.text)
        let tenant = try #require(reading.configuration?.tenants.first)
        #expect(tenant.signIn?.accountPage?.description == "/account/")
        #expect(tenant.signIn?.passkeys == PasskeyRules(relyingParty: "shop.test", name: "Shop"))
        // What is below the page is the gateway's too.
        let paths = tenant.signInPaths.map(\.description)
        for path in ["/account/", "/account/passkeys", "/account/passkeys.js"] { #expect(paths.contains(path)) }
    }

    @Test func passkeysApplyToTheirDomainAndThoseBelow() {
        let rules = PasskeyRules(relyingParty: "shop.test", name: "Shop")
        for host in ["shop.test", "www.shop.test", "a.b.shop.test"] { #expect(rules.apply(toHost: host)) }
        for host in ["myshop.test", "test", ".shop.test", "shop.test.evil.test", ""] {
            #expect(!rules.apply(toHost: host), "\(host)")
        }
    }
}
