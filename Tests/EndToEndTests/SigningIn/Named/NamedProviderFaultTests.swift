import Demo
import Testing
import Verification

/// Named providers that fail or lie: nobody gets in, and the page says so.
@Suite struct NamedProviderFaultTests {
    /// Expects an error page with a code, and no session.
    private func expectStopped(
        _ response: RawResponse,
        _ status: Int,
        _ code: String,
        _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, "\(comment)", sourceLocation: sourceLocation)
        #expect(response.body.text.contains("Code: \(code)"), "\(comment)", sourceLocation: sourceLocation)
        #expect(response.location == nil, "\(comment)", sourceLocation: sourceLocation)
        #expect(response.cookie("c_access") == nil, "\(comment)", sourceLocation: sourceLocation)
        #expect(response.fields["X-Frame-Options"] == ["DENY"], "\(comment)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [ProviderFailure.down, .status(500), .status(404), .page, .garbage])
    func metadataThatCannotBeReadStopsThatProviderAlone(failure: ProviderFailure) async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.fail(failure, for: .metadata)
            let browser = Browser(fixture.company)
            let page = try await browser.get("/login")
            #expect(page.status == 200, "the page is there all the same")
            let links = HostedPage(page).neutralLinks
            let stopped = try await browser.get(Form.target(of: try #require(links.first)))
            expectStopped(stopped, 503, "provider_unavailable")
            #expect(stopped.fields["Retry-After"] == ["2"])
            #expect(stopped.body.text.contains("Company &amp; Sons does not answer"))
            let back = try await browser.bring(try standIn.redirect(for: try #require(links.last)))
            #expect(back.status == 303, "the other one works, in the same sign-in")
        }
    }

    /// What is known of a provider survives the reload of what has nothing to do with it.
    @Test func metadataIsKeptOverReloads() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            let calls = standIn.calls(.metadata)
            standIn.fail(.down, for: .metadata)
            await fixture.change(CompanySetup(signIn: "unauthenticated: { navigations: sign_in }").setup)
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            #expect(standIn.calls(.metadata) == calls)
        }
    }

    @Test(arguments: [ProviderFailure.down, .status(500), .status(429), .page, .garbage])
    func providerThatFailsAfterRedirectIsUnavailable(failure: ProviderFailure) async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            for (provider, endpoint) in [("company", CompanyEndpoint.token), ("code", .codeToken), ("code", .codeUser)]
            {
                standIn.fail(failure, for: endpoint)
                let response = try await Browser(fixture.company).signInAtCompany(by: provider, at: standIn)
                expectStopped(response, 503, "provider_unavailable", "\(endpoint)")
                standIn.reset()
            }
            standIn.fail(failure, for: .codeEmails)
            let response = try await Browser(fixture.company).signInAtCompany(by: "code", at: standIn)
            expectStopped(response, 503, "provider_unavailable", "e-mails")
        }
    }

    @Test(arguments: [ProviderFailure.down, .status(503), .page]) func keysThatCannotBeReadAreUnavailable(
        failure: ProviderFailure
    ) async throws {
        try await CompanySetup().run(prepare: { $0.fail(failure, for: .keys) }) { fixture, standIn async throws in
            let response = try await Browser(fixture.company).signInAtCompany(at: standIn)
            expectStopped(response, 503, "provider_unavailable")
        }
    }

    @Test func slowProviderEndsInTime() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.fail(.slow(seconds: 60), for: .token)
            expectStopped(try await Browser(fixture.company).signInAtCompany(at: standIn), 503, "provider_unavailable")
        }
    }

    @Test func clientOfIssuerLearnsThatProviderIsUnavailable() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.fail(.status(500), for: .codeToken)
            let browser = Browser(fixture.company)
            let links = HostedPage(try await browser.get(CompanySetup.app.authorizeTarget())).neutralLinks
            let back = try await browser.bring(try standIn.redirect(for: try #require(links.last)))
            #expect(Form.query(of: try #require(back.location))["error"] == "temporarily_unavailable")
        }
    }

    /// A lie in the metadata.
    struct MetadataLie: Sendable, CustomStringConvertible {
        let description: String
        let change: @Sendable (inout JSONObject) -> Void

        static let all = [
            MetadataLie(description: "another issuer") { $0["issuer"] = "https://id.example" },
            MetadataLie(description: "an issuer with a slash") { metadata in
                metadata["issuer"] = .string((metadata["issuer"]?.string ?? "") + "/")
            },
            MetadataLie(description: "no issuer") { $0["issuer"] = nil },
            MetadataLie(description: "a plain token endpoint") { $0["token_endpoint"] = "http://id.example/token" },
            MetadataLie(description: "a script") { $0["authorization_endpoint"] = "javascript:alert(1)" },
            MetadataLie(description: "no PKCE with S256") { $0["code_challenge_methods_supported"] = ["plain"] },
        ]
    }

    @Test(arguments: MetadataLie.all) func metadataThatLiesIsNotUsed(lie: MetadataLie) async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.edit(.metadata, lie.change)
            expectStopped(
                try await Browser(fixture.company).get("/login?provider=company"),
                503,
                "provider_unavailable",
                lie.description
            )
        }
    }

    /// A lie in the ID token.
    struct TokenLie: Sendable, CustomStringConvertible {
        let description: String
        let change: @Sendable (inout JSONObject) -> Void

        static let all = [
            TokenLie(description: "another issuer") { $0["iss"] = "https://id.example" },
            TokenLie(description: "no issuer") { $0["iss"] = nil },
            TokenLie(description: "another audience") { $0["aud"] = "another-client" },
            TokenLie(description: "an audience beside ours") { $0["aud"] = ["gatehouse", "another-client"] },
            TokenLie(description: "another party") { $0["azp"] = "another-client" },
            TokenLie(description: "no audience") { $0["aud"] = nil },
            TokenLie(description: "another nonce") { $0["nonce"] = "n-of-somebody-else" },
            TokenLie(description: "no nonce") { $0["nonce"] = nil },
            TokenLie(description: "long ago") { $0["exp"] = 1_600_000_000 },
            TokenLie(description: "no end") { $0["exp"] = nil },
            TokenLie(description: "not yet") { $0["nbf"] = 4_000_000_000 },
            TokenLie(description: "another access token's hash") { $0["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA" },
            TokenLie(description: "a hash that is none") { $0["at_hash"] = 1 },
            TokenLie(description: "no subject") { $0["sub"] = nil },
            TokenLie(description: "a subject with a line end") { $0["sub"] = "a\r\nX-User: b" },
        ]
    }

    @Test(arguments: TokenLie.all) func tokenThatLiesSignsNobodyIn(lie: TokenLie) async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.edit(.idToken, lie.change)
            let response = try await Browser(fixture.company).signInAtCompany(at: standIn)
            expectStopped(response, 401, "not_signed_in", lie.description)
        }
    }

    @Test func forgedSignatureSignsNobodyIn() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.setForging(true)
            expectStopped(try await Browser(fixture.company).signInAtCompany(at: standIn), 401, "not_signed_in")
        }
    }

    @Test func accessTokenIsNoIDToken() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            for type in ["at+jwt", "application/at+JWT", "logout+jwt"] {
                standIn.setTokenType(type)
                expectStopped(
                    try await Browser(fixture.company).signInAtCompany(at: standIn),
                    401,
                    "not_signed_in",
                    type
                )
            }
        }
    }

    /// RFC 9207: the provider says that its responses name the issuer.
    @Test func responseOfAnotherIssuerEndsNothing() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            let browser = Browser(fixture.company)
            let good = try await browser.beginAtCompany(at: standIn)
            let target = Form.target(of: good.url)
            for issuer in ["https://id.example", "", nil] as [String?] {
                var fields = good.fields.filter { $0.name != "iss" }.map { "\($0.name)=\(Form.encoded($0.value))" }
                if let issuer { fields.append("iss=\(Form.encoded(issuer))") }
                let response = try await browser.get("\(target)?\(fields.joined(separator: "&"))")
                expectStopped(response, 400, "bad_request", issuer ?? "none")
                let form = fields.joined(separator: "&")
                let posted = try await browser.postFromElsewhere(target, form: form)
                expectStopped(posted, 400, "bad_request", "posted")
            }
            #expect(standIn.calls(.token) == 0)
            #expect(try await browser.bring(good).status == 303, "the sign-in is under way still")
        }
    }

    @Test func responseWithoutIssuerIsTakenWhereProviderNamesNone() async throws {
        try await CompanySetup().run { fixture, standIn async throws in
            standIn.edit(.metadata) { $0["authorization_response_iss_parameter_supported"] = nil }
            standIn.edit(.redirect) { $0["iss"] = nil }
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
        }
    }

    @Test func refusedClientIsUnavailableAndLogged() async throws {
        try await CompanySetup(company: "token_endpoint_auth_method: client_secret_post").run { fixture, standIn in
            standIn.edit(.metadata) { $0["token_endpoint_auth_methods_supported"] = ["client_secret_basic"] }
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303, "as configured")
            standIn.fail(.status(401), for: .token)
            let response = try await Browser(fixture.company).signInAtCompany(at: standIn)
            expectStopped(response, 503, "provider_unavailable")
            #expect(fixture.log.text.contains("refuses the gateway as a client"))
        }
    }
}
