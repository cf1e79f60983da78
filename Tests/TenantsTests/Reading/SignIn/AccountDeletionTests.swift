import Testing

@testable import Tenants

/// What `delete_account` comes out as.
struct AccountDeletionTests {
    private static func text(_ section: String) -> String {
        """
        version: 1
        tenants:
          shop:
            hosts: [shop.test]
            backend: { servers: [http://127.0.0.1:9001] }
            authenticate: { issuers: [{ preset: built-in }] }
            issuer: { url: "https://shop.test", audience: a, algorithm: ES256 }
            sign_in:
              delete_account: \(section)

        """
    }

    private func read(_ section: String) throws -> Tenant {
        try #require(Sample.read(Self.text(section)).configuration?.tenants.first)
    }

    @Test func methodAndPathAndCallAreRead() throws {
        let tenant = try read("{ path: POST /api/account/, call: { path: '/internal/users/{subject}?by=app' } }")
        let rules = try #require(tenant.signIn?.deletion)
        #expect(rules.method == "POST")
        #expect(rules.path.description == "/api/account/")
        #expect(rules.receiptPath == "/api/account/receipt")
        #expect(rules.call == AccountDeletionRules.Call(method: "DELETE", path: "/internal/users/{subject}?by=app"))
    }

    @Test func pathAloneIsForDelete() throws {
        let rules = try #require(try read("{ path: /api/account }").signIn?.deletion)
        #expect(rules.method == "DELETE")
        #expect(rules.call == nil)
    }

    /// The backend may have it for other methods, and sessions are refreshed there as everywhere.
    @Test func deletionsPathStaysTheBackendsForRefreshes() throws {
        let paths = try read("{ path: /api/account }").signInPaths.map(\.description)
        #expect(!paths.contains("/api/account"))
        #expect(paths.contains("/api/account/receipt"))
    }

    @Test(arguments: [
        ("u-1", "/users/u-1?x=1"), ("a/b", "/users/a%2Fb?x=1"), ("..a", "/users/..a?x=1"),
        ("é? #", "/users/%C3%A9%3F%20%23?x=1"),
        ("{subject}", "/users/%7Bsubject%7D?x=1"),
    ])
    func subjectStaysInItsSegment(_ subject: String, _ target: String) {
        let call = AccountDeletionRules.Call(method: "DELETE", path: "/users/{subject}?x=1")
        #expect(call.target(of: subject) == target)
    }

    /// Servers remove dot segments, some after decoding: the call would delete something else.
    @Test(arguments: [".", "..", "a/../b", "../x", "..\\x", "x/."])
    func subjectThatServersReadAsAnotherPathHasNoTarget(_ subject: String) {
        let call = AccountDeletionRules.Call(method: "DELETE", path: "/users/{subject}?x=1")
        #expect(call.target(of: subject) == nil)
    }

    @Test func subjectBesideOtherTextIsNoDotSegment() {
        let call = AccountDeletionRules.Call(method: "DELETE", path: "/users/id-{subject}")
        #expect(call.target(of: "..") == "/users/id-..")
    }
}
