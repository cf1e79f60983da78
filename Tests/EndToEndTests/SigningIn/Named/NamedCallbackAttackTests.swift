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
