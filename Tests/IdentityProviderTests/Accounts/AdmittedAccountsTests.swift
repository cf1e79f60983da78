import Testing
import Verification

@testable import IdentityProvider
@testable import Tenants

struct AdmittedAccountsTests {
    private struct Listed: EmailListing {
        func contains(_ email: String) async -> Bool { email == "guest@elsewhere.example" }
    }

    private static func isAdmitted(
        _ identity: ProviderIdentity,
        domains: [String] = [],
        hasFile: Bool = false,
        groups: [String] = []
    ) async throws -> Bool {
        let who = SignInAdmission(
            emailDomains: domains,
            emailsFile: hasFile ? "allowed.txt" : nil,
            groups: groups,
            groupsClaim: try #require(ClaimPlace("groups"))
        )
        let known = FakeAccounts()
        let accounts = AdmittedAccounts(known, Admission(who, emails: hasFile ? Listed() : nil))
        var outcomes: [Bool] = []
        do throws(AccountProblem) {
            _ = try await accounts.signIn(identity, givenName: nil, at: SessionFixture.start)
            outcomes.append(true)
        } catch {
            #expect(error == .notAllowed)
            outcomes.append(false)
        }
        do throws(AccountProblem) {
            try await accounts.check(identity)
            outcomes.append(true)
        } catch {
            #expect(error == .notAllowed)
            outcomes.append(false)
        }
        #expect(Set(outcomes).count == 1, "a sign-in and a check agree")
        return outcomes == [true, true]
    }

    private static func person(_ email: String?, isVerified: Bool = true, groups: [String] = []) -> ProviderIdentity {
        ProviderIdentity(
            provider: .named("company"),
            subject: "u",
            email: email,
            isEmailVerified: isVerified,
            groups: groups
        )
    }

    @Test(
        arguments: [
            ("a@example.com", true, true), ("a@EXAMPLE.com", true, true), ("a@example.com", false, false),
            ("a@sub.example.com", true, false), ("a@notexample.com", true, false), ("a@example.com.evil", true, false),
            (nil, true, false),
        ] as [(String?, Bool, Bool)]
    )
    func verifiedEmailOfDomainIsLetIn(email: String?, isVerified: Bool, isIn: Bool) async throws {
        let person = Self.person(email, isVerified: isVerified)
        #expect(try await Self.isAdmitted(person, domains: ["example.com"]) == isIn)
    }

    @Test func fileOrDomainIsEnough() async throws {
        #expect(
            try await Self.isAdmitted(Self.person("guest@elsewhere.example"), domains: ["example.com"], hasFile: true)
        )
        #expect(try await Self.isAdmitted(Self.person("a@example.com"), domains: ["example.com"], hasFile: true))
        #expect(
            try await !Self.isAdmitted(Self.person("other@elsewhere.example"), domains: ["example.com"], hasFile: true)
        )
        #expect(try await !Self.isAdmitted(Self.person("guest@elsewhere.example", isVerified: false), hasFile: true))
    }

    @Test func groupIsNeededBesideTheAddress() async throws {
        let staff = Self.person("a@example.com", groups: ["readers", "staff"])
        #expect(try await Self.isAdmitted(staff, groups: ["staff"]))
        #expect(try await Self.isAdmitted(staff, domains: ["example.com"], groups: ["staff", "owners"]))
        #expect(try await !Self.isAdmitted(staff, domains: ["other.example"], groups: ["staff"]))
        #expect(try await !Self.isAdmitted(Self.person("a@example.com"), domains: ["example.com"], groups: ["staff"]))
        #expect(try await !Self.isAdmitted(Self.person(nil, groups: ["Staff"]), groups: ["staff"]))
        #expect(try await Self.isAdmitted(Self.person(nil, groups: ["staff"]), groups: ["staff"]), "without an address")
    }
}
