import Demo
import Testing

/// Browsers that open a page without a good token are led to sign in, and back to it.
@Suite struct NavigationTests {
    private static let setup = CompanySetup(signIn: "unauthenticated: { navigations: sign_in }")
    private static let page = ["Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document", "Accept: text/html,*/*"]
    private static let origin = "http://company.localtest"

    /// Opens a page, and the login to which it leads.
    ///
    /// - Returns: The page with the providers.
    private static func led(_ browser: Browser, by target: String) async throws -> RawResponse {
        let response = try await browser.get(target, fields: page)
        #expect(response.status == 302, "\(response.body.text)")
        #expect(response.fields["Cache-Control"] == ["no-store"])
        let location = try #require(response.location)
        #expect(location.hasPrefix("\(origin)/login?refused="))
        return try await browser.get(Form.target(of: location), fields: page)
    }

    /// Chooses the first provider, and signs in there.
    private static func signIn(
        _ browser: Browser,
        on login: RawResponse,
        _ standIn: CompanyStandIn
    ) async throws -> RawResponse {
        let start = try await browser.get(Form.target(of: try #require(HostedPage(login).neutralLinks.first)))
        return try await browser.bring(try standIn.redirect(for: try #require(start.location)))
    }

    @Test func browserComesBackToItsExactPage() async throws {
        try await Self.setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let login = try await Self.led(browser, by: "/orders/7?tab=a%26b&x=%C3%A9")
            #expect(login.status == 200, "\(login.body.text)")
            let back = try await Self.signIn(browser, on: login, standIn)
            #expect(back.status == 303)
            #expect(back.location == "\(Self.origin)/orders/7?tab=a%26b&x=%C3%A9")
            #expect(try await browser.get("/orders/7?tab=a%26b&x=%C3%A9", fields: Self.page).status == 200)
        }
    }

    @Test func programsGet401() async throws {
        try await Self.setup.run { fixture, _ async throws in
            let response = try await fixture.company.get("/orders", fields: ["Accept: application/json"])
            #expect(response.status == 401 && response.location == nil)
            #expect(response.json?["code"] == "missing_token")
        }
    }

    @Test func browserThatIsRefusedAfterSigningInGetsPageThatSaysWhy() async throws {
        try await Self.setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            _ = try await Self.signIn(browser, on: try await Self.led(browser, by: "/orders"), standIn)
            // As a browser that does not keep this cookie.
            let forgetful = Browser(fixture.company)
            for (name, value) in browser.cookies where name != "c_access" { forgetful.plant(name, value) }
            let page = try await Self.led(forgetful, by: "/orders")
            #expect(page.status == 401)
            #expect(page.body.text.contains("did not send back the cookie"))
            #expect(page.body.text.contains("Code: missing_token"))
            #expect(page.body.text.contains("/login?after=http%3A%2F%2Fcompany.localtest%2Forders"))
            // Once more is not a circle: whoever tries again can sign in.
            #expect(try await Self.led(forgetful, by: "/orders").status == 200)
        }
    }

    @Test func signInsInTwoTabsLeadEachToItsPage() async throws {
        try await Self.setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let first = try await Self.led(browser, by: "/first")
            let second = try await Self.led(browser, by: "/second")
            #expect(try await Self.signIn(browser, on: second, standIn).location == "\(Self.origin)/second")
            #expect(try await Self.signIn(browser, on: first, standIn).location == "\(Self.origin)/first")
        }
    }

    @Test func formThatWasNotSentIsSaid() async throws {
        try await Self.setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let fields = Self.page + ["Origin: \(Self.origin)", "Referer: \(Self.origin)/orders/new"]
            let response = try await browser.post("/orders", form: "item=7", fields: fields)
            #expect(response.status == 303)
            let page = try await browser.get(Form.target(of: try #require(response.location)), fields: Self.page)
            #expect(page.status == 401)
            #expect(page.body.text.contains("What you sent was not saved"))
            let login = try await browser.get("/login?after=http%3A%2F%2Fcompany.localtest%2Forders%2Fnew")
            let back = try await Self.signIn(browser, on: login, standIn)
            #expect(back.location == "\(Self.origin)/orders/new")
        }
    }

    @Test(arguments: [
        "https://evil.example/", "http://company.localtest.evil.example/", "http://company.localtest@evil.example/",
        "https://company.localtest/orders", "//evil.example", "http://company.localtest:81/",
    ])
    func signInLeadsToNoOtherOrigin(after: String) async throws {
        try await Self.setup.run { fixture, _ async throws in
            let response = try await Browser(fixture.company).get("/login?after=\(Form.encoded(after))")
            #expect(response.status == 400 && response.location == nil)
        }
    }

    @Test(arguments: ["/login?refused=evil", "/login?refused=%3Cscript%3E"])
    func unknownReasonIsRefused(target: String) async throws {
        try await Self.setup.run { fixture, _ async throws in
            let response = try await Browser(fixture.company).get(target)
            #expect(response.status == 400)
            #expect(!response.body.text.contains("evil") && !response.body.text.contains("script"))
        }
    }

    @Test func signedOutBrowserIsLedToLoginAgain() async throws {
        try await Self.setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            _ = try await Self.signIn(browser, on: try await Self.led(browser, by: "/orders"), standIn)
            #expect(try await browser.post("/logout", fields: ["Origin: \(Self.origin)"]).status < 300)
            #expect(try await Self.led(browser, by: "/orders").status == 200)
        }
    }
}
