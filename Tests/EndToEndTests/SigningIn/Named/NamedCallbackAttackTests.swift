import Demo
import Testing
import Verification

/// Responses of named providers in the wrong browser, at the wrong path, or a second time (RFC 9700 sections 4.4 and 4.7).
@Suite struct NamedCallbackAttackTests {
    private func expectStopped(
        _ response: RawResponse,
        _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == 400, sourceLocation: sourceLocation)
        #expect(response.body.text.contains("Code: \(code)"), sourceLocation: sourceLocation)
        #expect(response.cookie("c_access") == nil, sourceLocation: sourceLocation)
    }

    @Test func stateWorksOnce() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            for provider in ["company", "code"] {
                let browser = Browser(fixture.company)
                let response = try await browser.beginAtCompany(by: provider, at: standIn)
                let held = browser.cookies
                #expect(try await browser.bring(response).status == 303)
                for (name, value) in held { browser.plant(name, value) }
                expectStopped(try await browser.bring(response), "sign_in_over")
            }
        }
    }

    @Test func otherBrowserNeitherBeginsNorEndsSignIn() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let attacker = Browser(fixture.company)
            let start = try #require(HostedPage(try await attacker.get("/login")).neutralLinks.first)
            expectStopped(try await Browser(fixture.company).get(Form.target(of: start)), "other_browser")
            let response = try await attacker.beginAtCompany(at: standIn)
            let victim = Browser(fixture.company)
            expectStopped(try await victim.bring(response), "other_browser")
            for name in attacker.cookies.keys { victim.plant(name, "forged") }
            expectStopped(try await victim.bring(response), "other_browser")
            #expect(standIn.calls(.token) == 0)
        }
    }

    @Test func responseOfOneProviderIsNotTakenForAnothers() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let company = try await browser.beginAtCompany(at: standIn)
            let code = try await browser.beginAtCompany(by: "code", at: standIn)
            expectStopped(try await browser.get("/login/callback/code?\(company.form)"), "bad_request")
            expectStopped(try await browser.get("/login/callback/company?\(code.form)"), "bad_request")
            expectStopped(try await browser.get("/oauth2/callback/company?\(company.form)"), "sign_in_over")
            #expect(standIn.calls(.token) + standIn.calls(.codeToken) == 0)
            #expect(try await browser.bring(company).status == 303)
            #expect(try await browser.bring(code).status == 303)
        }
    }

    /// A cookie that is carried by hand to another host of the tenant counts for nothing there, nor does what the
    /// account page of that host would have asked of the provider.
    @Test func signInIsNotEndedAtAnotherHostOfTheTenant() async throws {
        let keys = "account_page: /account\ndelete_account: { path: DELETE /api/account }"
        let setup = CompanySetup(after: "http://company.localtest/", signIn: keys)
        try await setup.run { fixture, standIn async throws in
            standIn.edit(.idToken) { $0["auth_time"] = nil }
            let browser = Browser(fixture.companyElsewhere)
            let query = "after=http%3A%2F%2Fcompany.localtest%2Faccount"
            let login = try await browser.get("/login?provider=company&\(query)")
            let location = try #require(login.location, "\(login.body.text)")
            #expect(Form.query(of: location)["prompt"] == nil)
            let response = try standIn.redirect(for: location)
            let start = try #require(HostedPage(try await browser.get("/login?\(query)")).neutralLinks.first)
            let other = Browser(fixture.company)
            for (name, value) in browser.cookies { other.plant(name, value) }
            expectStopped(try await other.bring(response), "bad_request")
            expectStopped(try await other.get(Form.target(of: start)), "bad_request")
            #expect(standIn.calls(.token) == 0)
            // Where it belongs it goes on, and is no proof.
            #expect(try await browser.get(Form.target(of: start)).status == 303)
            #expect(try await browser.bring(response).location == "http://company.localtest/account")
            let token = try #require(browser.cookies["c_access"])
            for app in [fixture.company, fixture.companyElsewhere] {
                let deletion = try await app.request("DELETE", "/api/account", fields: ["Cookie: c_access=\(token)"])
                expectRefusal(deletion, 403, "not_allowed")
            }
        }
    }

    @Test func signInsOfTwoTabsDoNotInterfere() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let first = try await browser.beginAtCompany(at: standIn, query: "&after=/one")
            let second = try await browser.beginAtCompany(at: standIn, query: "&after=/two")
            #expect(try await browser.bring(second).location == "https://company.example/two")
            #expect(try await browser.bring(first).location == "https://company.example/one")
        }
    }

    @Test func codeOfAnotherSignInIsRefused() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            for provider in ["company", "code"] {
                let browser = Browser(fixture.company)
                let theirs = try await Browser(fixture.company).beginAtCompany(by: provider, at: standIn)
                let own = try await browser.beginAtCompany(by: provider, at: standIn)
                var fields = own.fields.filter { $0.name != "code" }.map { "\($0.name)=\(Form.encoded($0.value))" }
                fields.append("code=\(Form.encoded(try #require(theirs["code"])))")
                let response = try await browser.get("\(Form.target(of: own.url))?\(fields.joined(separator: "&"))")
                #expect(response.status == 401, "PKCE")
                #expect(response.cookie("c_access") == nil)
            }
        }
    }

    @Test func unknownProviderIsRefused() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            expectStopped(try await Browser(fixture.company).get("/login?provider=other"), "bad_request")
            let response = try await fixture.company.get("/login/callback/other?state=x")
            #expect(response.status != 200 && response.status != 303, "no path of ours")
        }
    }
}
