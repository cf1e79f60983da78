import Demo
import Foundation
import TestSupport
import Testing
import Verification

/// `who` of `sign_in`: everybody whom a provider signs in is checked, whichever way they come.
@Suite struct NamedAdmissionTests {
    private func expectNotAllowed(_ response: RawResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(response.status == 403, "\(response.location ?? "")", sourceLocation: sourceLocation)
        #expect(response.body.text.contains("Code: not_allowed"), sourceLocation: sourceLocation)
        #expect(response.fields["Content-Type"] == ["text/html; charset=utf-8"], sourceLocation: sourceLocation)
        #expect(response.cookie("c_access") == nil, sourceLocation: sourceLocation)
    }

    @Test func otherDomainGetsPageAndNoSession() async throws {
        let setup = CompanySetup(signIn: "who: { email_domains: [company.example] }")
        try await setup.run { fixture, standIn async throws in
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            standIn.setUser(ProviderUser(subject: "x", email: "eve@elsewhere.example"))
            for provider in ["company", "code"] {
                expectNotAllowed(try await Browser(fixture.company).signInAtCompany(by: provider, at: standIn))
            }
            standIn.setUser(ProviderUser(subject: "y", email: "eve@company.example", emailVerified: false))
            for provider in ["company", "code"] {
                expectNotAllowed(try await Browser(fixture.company).signInAtCompany(by: provider, at: standIn))
            }
            let token = try standIn.idToken(audience: "company-ios")
            let response = try await fixture.company.post("/auth/company", json: ["id_token": .string(token)])
            expectRefusal(response, 403, "not_allowed")
            let metrics = try await fixture.metrics()
            let labels = ["tenant": "company", "provider": "company", "outcome": "not_allowed"]
            #expect(metrics.value("gatehouse_sign_ins_total", labels) == 3)
        }
    }

    @Test func groupIsNeeded() async throws {
        let setup = CompanySetup(signIn: "who: { groups: [staff], groups_claim: /groups }")
        try await setup.run { fixture, standIn async throws in
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            standIn.edit(.idToken) { $0["groups"] = ["readers"] }
            expectNotAllowed(try await Browser(fixture.company).signInAtCompany(at: standIn))
            // User info does not replace what the ID token says.
            #expect(standIn.calls(.userInfo) == 0)
            standIn.edit(.idToken) { $0["groups"] = nil }
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            #expect(standIn.calls(.userInfo) == 1)
            expectNotAllowed(try await Browser(fixture.company).signInAtCompany(by: "code", at: standIn))
        }
    }

    @Test func changedFileOfEmailsIsReadAgain() async throws {
        let scratch = try Scratch()
        defer { scratch.remove() }
        let file = try scratch.write("# people\nbob@company.example\n", to: "allowed.txt")
        let setup = CompanySetup(signIn: "who: { emails_file: \"{emails}\" }")
        try await setup.run(values: ["emails": file]) { fixture, standIn async throws in
            expectNotAllowed(try await Browser(fixture.company).signInAtCompany(at: standIn))
            try Data("bob@company.example\nAlice@Company.example # since May\n".utf8)
                .write(to: URL(fileURLWithPath: file), options: .atomic)
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            // A file with a mistake changes nothing, also after a reload.
            await fixture.change(CompanySetup(signIn: setup.signIn, tenant: "role: staff").setup)
            try Data("not an address\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            try FileManager.default.removeItem(atPath: file)
            #expect(try await Browser(fixture.company).signInAtCompany(at: standIn).status == 303)
            try Data("bob@company.example\n".utf8).write(to: URL(fileURLWithPath: file))
            expectNotAllowed(try await Browser(fixture.company).signInAtCompany(at: standIn))
        }
    }
}
