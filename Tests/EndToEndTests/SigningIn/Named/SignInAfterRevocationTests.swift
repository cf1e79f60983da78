import Demo
import TestSupport
import Testing
import Verification

/// A provider that has known somebody for days lets them in again after a revocation: their new session is good, at the
/// app as at the account page, and the old one at neither.
@Suite struct SignInAfterRevocationTests {
    private func withCompany(
        _ test: (GatewayFixture, CompanyStandIn) async throws -> Void
    ) async throws {
        let setup = CompanySetup(signIn: "account_page: /account")
        try await setup.run { fixture, standIn in
            standIn.edit(.idToken) { $0["auth_time"] = 1_700_000_000 }
            try await test(fixture, standIn)
        }
    }

    private func statuses(_ browser: Browser) async throws -> [Int] {
        var statuses: [Int] = []
        for path in ["/orders", "/me", "/account"] { statuses.append(try await browser.get(path).status) }
        return statuses
    }

    @Test(arguments: ["subject", "all"])
    func newSignInIsGoodAtOnce(_ what: String) async throws {
        try await withCompany { fixture, standIn in
            let before = Browser(fixture.company)
            #expect(try await before.signInAtCompany(at: standIn).status == 303)
            #expect(try await statuses(before) == [200, 200, 200])
            let token = try #require(before.cookies["c_access"])
            let subject = try #require(GivenTokens.claims(token)?["sub"]?.string)
            let target = what == "all" ? "\"all\":true" : "\"subject\":\"\(subject)\""
            let body = "{\"tenant\":\"company\",\(target)}"
            #expect(try await fixture.adminRequest("POST", "/api/revocations", body: body).status == 200)
            let after = Browser(fixture.company)
            #expect(try await after.signInAtCompany(at: standIn).status == 303)
            #expect(try await statuses(after) == [200, 200, 200])
            #expect(try await after.post("/refresh").status == 200)
            #expect(try await statuses(after) == [200, 200, 200])
            #expect(try await statuses(before).first == 401)
            #expect(try await before.post("/refresh").status == 401)
            // Only what can be used is listed: the browser's own session.
            let listed = try await after.get("/account").body.text.components(separatedBy: "name=\"session\"").count - 1
            #expect(listed == 1)
            let list = try await fixture.admin("/api/sessions?tenant=company&subject=\(subject)")
            #expect(list.json?["sessions"]?.array?.count == 1)
        }
    }

    @Test func browserThatSignsTheOthersOutStaysSignedIn() async throws {
        try await withCompany { fixture, standIn in
            let (here, there) = (Browser(fixture.company), Browser(fixture.company))
            for browser in [there, here] {
                #expect(try await browser.signInAtCompany(at: standIn).status == 303)
            }
            let page = try await here.get("/account").body.text
            let marker = "name=\"token\" value=\""
            let start = try #require(page.range(of: marker)).upperBound
            let token = page[start...].prefix { $0 != "\"" }
            let origin = ["Origin: http://\(CompanySetup.host)"]
            let form = "action=sign_out_others&token=\(token)"
            let done = try await here.post("/account", form: form, fields: origin)
            #expect(done.location?.hasSuffix("notice=others_ended") == true, "\(done.body.text)")
            #expect(try await statuses(here) == [200, 200, 200])
            #expect(try await here.post("/refresh").status == 200)
            #expect(try await statuses(here) == [200, 200, 200])
            #expect(try await statuses(there).first == 401)
            #expect(try await there.get("/me").status == 401)
        }
    }
}
