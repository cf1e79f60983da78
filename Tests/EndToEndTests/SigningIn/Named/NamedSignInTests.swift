import Demo
import Testing
import Verification

/// Sign-in with providers of `sign_in.providers`.
@Suite struct NamedSignInTests {
    @Test func openIDSignInEndsWithCookies() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let login = try await browser.get("/login?provider=company&after=/orders")
            let asked = Form.query(of: try #require(login.location))
            #expect(login.location?.hasPrefix("\(standIn.issuer)/authorize?") == true)
            #expect(asked["code_challenge_method"] == "S256")
            #expect(asked["nonce"]?.isEmpty == false)
            #expect(asked["redirect_uri"] == "http://company.localtest/login/callback/company")
            let back = try await browser.bring(try standIn.redirect(for: try #require(login.location)))
            #expect(back.status == 303, "\(back.body.text)")
            #expect(back.location == "https://company.example/orders")
            let me = try await browser.get("/me")
            let user = me.json?["user"]?.object
            #expect(user?["email"] == "alice@company.example")
            #expect(user?["email_verified"] == true)
            #expect(user?["providers"] == ["company"])
            #expect(standIn.calls(.userInfo) == 0, "the ID token has everything")
            #expect(try await browser.get("/orders").status == 200)
        }
    }

    /// Somebody may have left a session open at the provider, which is no recent sign-in.
    @Test func signInThatEndsAtAccountPageAsksProviderAnew() async throws {
        try await CompanySetup(signIn: "account_page: /account").run { fixture, standIn async throws in
            standIn.edit(.idToken) { $0["auth_time"] = 1_700_000_000 }
            let browser = Browser(fixture.company)
            let query = "&after=http%3A%2F%2Fcompany.localtest%2Faccount"
            let login = try await browser.get("/login?provider=company\(query)")
            let asked = Form.query(of: try #require(login.location))
            #expect(asked["prompt"] == "login" && asked["max_age"] == "0")
            let back = try await browser.bring(try standIn.redirect(for: try #require(login.location)))
            #expect(back.location == "http://company.localtest/account")
            // The provider did not, and says so.
            let token = try #require(browser.cookies["c_access"])
            #expect(GivenTokens.claims(token)?["auth_time"] == 1_700_000_000)
            let other = try await browser.get("/login?provider=company")
            #expect(Form.query(of: try #require(other.location))["prompt"] == nil)
        }
    }

    /// A provider that says nothing may have led somebody back whom it knew already.
    @Test func accountIsChangedAfterSignInThatAskedAnew() async throws {
        let keys = "account_page: /account\ndelete_account: { path: DELETE /api/account }"
        try await CompanySetup(signIn: keys).run { fixture, standIn async throws in
            standIn.edit(.idToken) { $0["auth_time"] = nil }
            let browser = Browser(fixture.company)
            _ = try await browser.signInAtCompany(at: standIn)
            #expect(try await browser.get("/account").body.text.contains("sign in again first"))
            // The same token in another field is worth the same.
            let old = try #require(browser.cookies["c_access"])
            let asBearer = try await fixture.company.request("DELETE", "/api/account", token: old)
            expectRefusal(asBearer, 403, "not_allowed")
            let inCookie = try await fixture.company.request(
                "DELETE",
                "/api/account",
                fields: ["Cookie: c_access=\(old)"]
            )
            expectRefusal(inCookie, 403, "not_allowed")
            let query = "&after=http%3A%2F%2Fcompany.localtest%2Faccount"
            _ = try await browser.bring(try await browser.beginAtCompany(at: standIn, query: query))
            #expect(try await browser.get("/account").body.text.contains("Delete account …"))
            let proved = try #require(browser.cookies["c_access"])
            #expect(try await fixture.company.request("DELETE", "/api/account", token: proved).status == 202)
        }
    }

    @Test func oauth2SignInTakesVerifiedPrimaryAddress() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let back = try await browser.signInAtCompany(by: "code", at: standIn)
            #expect(back.status == 303, "\(back.body.text)")
            let user = try await browser.get("/me").json?["user"]?.object
            #expect(user?["email"] == "alice@company.example")
            #expect(user?["email_verified"] == true)
            #expect(user?["providers"] == ["code"])
        }
    }

    @Test func accountPageCallsProviderByItsLabel() async throws {
        try await CompanySetup(signIn: "account_page: /account").run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            #expect(try await browser.signInAtCompany(at: standIn).status == 303)
            let page = try await browser.get("/account")
            #expect(page.body.text.contains("<p class=\"name\"><bdi>Company &amp; Sons</bdi></p>"))
        }
    }

    @Test func loginOffersAllProvidersAndLeadsToEach() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let page = try await browser.get("/login")
            #expect(page.status == 200)
            #expect(page.body.text.contains("Sign in with <bdi>Company &amp; Sons</bdi>"))
            #expect(page.body.text.contains("Sign in with <bdi>code</bdi>"))
            #expect(page.body.text.contains("company.example"))
            let links = HostedPage(page).neutralLinks
            #expect(links.count == 2)
            let start = try await browser.get(Form.target(of: try #require(links.first)))
            #expect(start.status == 303, "\(start.body.text)")
            let back = try await browser.bring(try standIn.redirect(for: try #require(start.location)))
            #expect(back.status == 303, "\(back.body.text)")
            #expect(browser.cookies.keys.sorted() == ["c_access", "c_refresh"])
            let other = Browser(fixture.company)
            let links2 = HostedPage(try await other.get("/login")).neutralLinks
            #expect(try await other.bring(try standIn.redirect(for: try #require(links2.last))).status == 303)
        }
    }

    @Test func clientOfIssuerGetsCodeByNamedProvider() async throws {
        let setup = CompanySetup(company: "claims: { role: /realm_access/roles/1 }")
        try await setup.run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let page = try await browser.get(CompanySetup.app.authorizeTarget())
            let links = HostedPage(page).neutralLinks
            let start = try await browser.get(Form.target(of: try #require(links.first)))
            let redirect = try standIn.redirect(for: try #require(start.location))
            #expect(redirect.url == "http://company.localtest/oauth2/callback/company")
            let back = try await browser.bring(redirect)
            let location = try #require(back.location, "\(back.body.text)")
            let code = try #require(Form.query(of: location)["code"], "\(location)")
            let tokens = try GivenTokens(
                try await fixture.company.post(CompanySetup.app.tokenPath, form: CompanySetup.app.tokenForm(code)),
                fixture
            )
            #expect(GivenTokens.claims(tokens.access)?["role"] == "editor")
            #expect(GivenTokens.claims(tokens.access)?["email"] == "alice@company.example")
            let again = try GivenTokens(
                try await fixture.company.post(
                    CompanySetup.app.tokenPath,
                    form: CompanySetup.app.refreshForm(tokens.refresh)
                ),
                fixture
            )
            #expect(GivenTokens.claims(again.access)?["role"] == "editor", "kept over refreshes")
        }
    }

    @Test func mappedClaimsDecideOnAccess() async throws {
        for (company, status) in [("claims: { roles: /realm_access/roles }", 200), ("", 403)] {
            try await CompanySetup(company: company).run { fixture, standIn async throws in
                let browser = Browser(fixture.company)
                #expect(try await browser.signInAtCompany(at: standIn).status == 303)
                #expect(try await browser.get("/editors/a").status == status)
            }
        }
    }

    @Test func missingEmailComesFromUserInfoOfSameSubject() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.edit(.idToken) { claims in
                claims["email"] = nil
                claims["email_verified"] = nil
            }
            let browser = Browser(fixture.company)
            #expect(try await browser.signInAtCompany(at: standIn).status == 303)
            #expect(try await browser.get("/me").json?["user"]?.object?["email"] == "alice@company.example")
            #expect(standIn.calls(.userInfo) == 1)
            standIn.edit(.userInfo) { $0["sub"] = "somebody-else" }
            let other = Browser(fixture.company)
            #expect(try await other.signInAtCompany(at: standIn).status == 401)
            #expect(other.cookies.isEmpty)
        }
    }

    @Test(arguments: [SignatureAlgorithm.es256, .ps256, .edDSA]) func everyAlgorithmIsVerified(
        algorithm: SignatureAlgorithm
    ) async throws {
        let key: SigningKey =
            switch algorithm {
            case .es256: try .generate(.p256)
            case .edDSA: try .generate(.ed25519)
            default: try .generate(.rsa(bits: 2048))
            }
        try await CompanySetup().run(key: (key, algorithm)) { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let back = try await browser.signInAtCompany(at: standIn)
            #expect(back.status == 303, "\(back.body.text)")
        }
    }

    /// As at Microsoft, where each directory has an issuer of its own.
    @Test func tokenOfItsDirectoryIsTaken() async throws {
        let setup = CompanySetup(
            issuer: "{company_url}/{tenantid}/v2.0",
            company: """
                metadata_url: "{company}/.well-known/openid-configuration"
                jwks_url: "{company}/keys"
                """
        )
        try await setup.run { fixture, standIn async throws in
            let url = standIn.url
            standIn.edit(.metadata) { metadata in
                metadata["issuer"] = .string("\(url)/{tenantid}/v2.0")
                metadata["authorization_response_iss_parameter_supported"] = nil
            }
            standIn.edit(.redirect) { $0["iss"] = nil }
            let directory = "aaaabbbb-0000-cccc-1111-dddd2222eeee"
            standIn.edit(.idToken) { claims in
                claims["iss"] = .string("\(url)/\(directory)/v2.0")
                claims["tid"] = .string(directory)
            }
            let back = try await Browser(fixture.company).signInAtCompany(at: standIn)
            #expect(back.status == 303, "\(back.body.text)")
            let lies: [JSONValue?] = ["bbbbcccc-0000-cccc-1111-dddd2222eeee", "{tenantid}", "..", nil, 1]
            for lie in lies {
                standIn.edit(.idToken) { $0["tid"] = lie }
                #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 401)
            }
        }
    }

    @Test func verifiedEmailLinksProvidersAndUnverifiedDoesNot() async throws {
        let setup = CompanySetup(tenant: "accounts: { link_by_email: true }")
        try await setup.run { fixture, standIn async throws in
            func subject(by provider: String) async throws -> JSONValue? {
                let browser = Browser(fixture.company)
                #expect(try await browser.signInAtCompany(by: provider, at: standIn).status == 303)
                return try await browser.get("/me").json?["user"]?.object?["sub"]
            }
            let first = try await subject(by: "company")
            standIn.edit(.codeUser) { $0["id"] = 1 }
            standIn.edit(.codeEmail) { $0["verified"] = false }
            #expect(try await subject(by: "code") != first, "anybody can write any address there")
            standIn.edit(.codeUser) { $0["id"] = 2 }
            standIn.edit(.codeEmail) { $0["verified"] = true }
            #expect(try await subject(by: "code") == first)
        }
    }

    @Test func appExchangesIDToken() async throws {
        try await CompanySetup(company: "claims: { role: /realm_access/roles/0 }").run {
            fixture,
            standIn async throws in
            let app = fixture.company
            let token = try standIn.idToken(audience: "company-ios", nonce: "n-1")
            let body: JSONObject = ["id_token": .string(token), "nonce": "n-1"]
            let given = try GivenTokens(try await app.post("/auth/company", json: body), fixture)
            #expect(given.user?["email"] == "alice@company.example")
            #expect(GivenTokens.claims(given.access)?["role"] == "admin")
            for wrong in [["nonce": "n-2"], [:]] as [JSONObject] {
                var body = wrong
                body["id_token"] = .string(token)
                expectRefusal(try await app.post("/auth/company", json: body), 401, "invalid_token")
            }
            let others = [
                try standIn.idToken(audience: CompanyStandIn.clientID),
                try standIn.idToken(audience: "company-ios") { $0["iss"] = "https://other.example" },
                try standIn.idToken(audience: "company-ios") { $0["aud"] = ["company-ios", "another"] },
                try standIn.idToken(audience: "company-ios") { $0["azp"] = "another" },
            ]
            for other in others {
                let response = try await app.post("/auth/company", json: ["id_token": .string(other)])
                expectRefusal(response, 401, "invalid_token")
            }
            expectRefusal(try await app.post("/auth/company", json: [:]), 401, "missing_token")
        }
    }

    @Test func signInsAreCounted() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            let browser = Browser(fixture.company)
            let login = try await browser.get("/login?provider=code")
            let cancelled = try standIn.redirect(for: try #require(login.location), cancelling: true)
            #expect(try await browser.bring(cancelled).location == "https://company.example/home?error=access_denied")
            let metrics = try await fixture.metrics()
            func count(_ provider: String, _ outcome: String) -> Double? {
                metrics.value(
                    "gatehouse_sign_ins_total",
                    ["tenant": "company", "provider": provider, "outcome": outcome]
                )
            }
            #expect(count("company", "issued") == 1)
            #expect(count("code", "cancelled") == 1)
        }
    }
}

extension HostedPage {
    /// The links to named providers, in their order.
    var neutralLinks: [String] {
        html.split(separator: "<a class=\"button neutral\" href=\"").dropFirst().map { part in
            String(part.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        }
    }
}
