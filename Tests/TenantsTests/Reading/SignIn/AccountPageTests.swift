import Testing
import Verification

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
              passkeys: { rp_id: Shop.test, name: Shop, confirm: 90d }

        """

    @Test func pageAndPasskeysAreRead() throws {
        let reading = Sample.read(Self.text)
        let tenant = try #require(reading.configuration?.tenants.first)
        #expect(tenant.signIn?.accountPage?.description == "/account/")
        #expect(
            tenant.signIn?.passkeys
                == PasskeyRules(relyingParty: "shop.test", name: "Shop", confirmation: .seconds(90 * 86_400))
        )
        // What is below the page is the gateway's too.
        let paths = tenant.signInPaths.map(\.description)
        for path in ["/account/", "/account/passkeys", "/account/passkeys.js"] { #expect(paths.contains(path)) }
    }

    /// Whether somebody is still one of those whom `who` lets in only a provider knows.
    @Test func passkeysAreConfirmedMonthlyWhereNotEveryoneMayEnter() throws {
        var signIn = SignIn()
        signIn.passkeys = PasskeyRules(relyingParty: "shop.test", name: "Shop")
        #expect(signIn.passkeyConfirmation == nil)
        signIn.who = SignInAdmission(
            emailDomains: ["shop.test"],
            groups: [],
            groupsClaim: try #require(ClaimPlace("groups"))
        )
        #expect(signIn.passkeyConfirmation == .seconds(30 * 86_400))
        signIn.passkeys?.confirmation = .seconds(86_400)
        #expect(signIn.passkeyConfirmation == .seconds(86_400))
    }

    @Test func passkeysApplyToTheirDomainAndThoseBelow() {
        let rules = PasskeyRules(relyingParty: "shop.test", name: "Shop")
        for host in ["shop.test", "www.shop.test", "a.b.shop.test"] { #expect(rules.apply(toHost: host)) }
        for host in ["myshop.test", "test", ".shop.test", "shop.test.evil.test", ""] {
            #expect(!rules.apply(toHost: host), "\(host)")
        }
    }
}
