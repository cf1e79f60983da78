import Testing

@testable import Tenants

/// What `cors`, `csrf` and `headers` come to.
struct BrowserRulesTests {
    private func tenant(_ more: String, auth: String = "") throws -> Tenant {
        let result = Sample.read(Sample.tenant(auth: auth, more: more), environment: ["KEY": "canary-51"])
        #expect(result.errors.map(\.description) == [])
        return try #require(result.configuration?.tenants.first)
    }

    @Test func originsAreReadAsBrowsersSendThem() throws {
        let tenant = try tenant(
            """
            csrf: { trusted_origins: ['https://A.test:443', 'http://localhost:3000', 'http://b.test:80', 'https://[::1]'] }
            cors: { origins: ['https://a.test', 'https://c.test:8443', 'capacitor://localhost'], credentials: true }
            """
        )
        #expect(
            tenant.crossSite.trustedOrigins == [
                "https://a.test", "http://localhost:3000", "http://b.test", "https://[::1]", "https://c.test:8443",
                "capacitor://localhost",
            ]
        )
        #expect(tenant.crossOrigin?.origins == ["https://a.test", "https://c.test:8443", "capacitor://localhost"])
    }

    @Test func originsOfScriptsWithoutCookiesAreNotTrusted() throws {
        let tenant = try tenant("cors: { origins: ['https://a.test'] }")
        #expect(tenant.crossSite == CrossSiteRules())
        #expect(tenant.crossOrigin == CrossOriginRules(origins: ["https://a.test"], line: 8))
    }

    @Test func everyKeyIsRead() throws {
        let tenant = try tenant(
            """
            csrf: { mode: observe }
            cors: { origins: ["*"], max_age: 1h, expose: [X-Total, x-total, ETag] }
            headers:
              request: { set: { X-Key: "${KEY}" }, remove: [X-Debug] }
              response: { set: { Server: shop }, remove: [X-Powered-By] }
              security: standard
            """
        )
        #expect(tenant.crossSite == CrossSiteRules(mode: .observe, line: 8))
        #expect(
            tenant.crossOrigin
                == CrossOriginRules(
                    origins: ["*"],
                    maxAge: .seconds(3600),
                    exposedFields: ["X-Total", "ETag"],
                    line: 9
                )
        )
        #expect(tenant.headers.request.set.map(\.name) == ["X-Key"])
        #expect(tenant.headers.request.set.first?.value == Secret("canary-51"))
        #expect(tenant.headers.request.remove == ["X-Debug"])
        #expect(tenant.headers.response.set.map(\.name) == ["Server"])
        #expect(tenant.headers.response.remove == ["X-Powered-By"])
        #expect(tenant.headers.security == .standard)
    }

    @Test func tenantMayHaveNone() throws {
        let tenant = try tenant("")
        #expect(tenant.crossOrigin == nil)
        #expect(tenant.crossSite == CrossSiteRules())
        #expect(tenant.headers.request.isEmpty && tenant.headers.response.isEmpty)
        #expect(tenant.headers.security == .off)
    }

    @Test func fieldWithoutATokenHereMayBeSet() throws {
        let more = "headers: { request: { set: { Authorization: 'Basic eDp5' } } }"
        let tenant = try tenant(more, auth: "from: ['cookie:c']")
        #expect(tenant.headers.request.set.map(\.name) == ["Authorization"])
    }

    @Test func fieldOfNewTokensCannotBeSet() {
        let result = Sample.read(
            Sample.tenant(
                more: """
                    refresh: { on_401: true, call: { path: /r, send: bearer, access_token: /t }, deliver: { header: X-New } }
                    headers: { response: { remove: [x_new] } }
                    """
            )
        )
        #expect(
            result.errors.map(\.description) == [
                "t.yaml:9:37: \"x_new\" brings clients their new tokens: change \"refresh.deliver\" instead"
            ]
        )
    }

    @Test func fieldValuesAreNotPrinted() throws {
        let text = Sample.tenant(
            more: "headers: { request: { set: { X-Key: \"${KEY}\", X-Other: canary-52 } } }"
        )
        let printed = try #require(Sample.read(text, environment: ["KEY": "canary-51"]).effective?.print())
        #expect(!printed.contains("canary"))
        #expect(printed.contains(#"X-Key: "<redacted>""#) && printed.contains(#"X-Other: "<redacted>""#))
    }
}
