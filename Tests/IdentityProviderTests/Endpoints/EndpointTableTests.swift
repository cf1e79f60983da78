import Testing

@testable import IdentityProvider
@testable import Tenants

/// Which requests are for the gateway's own endpoints.
struct EndpointTableTests {
    private static func endpoint(_ method: String, _ path: String) throws -> Endpoint? {
        var signIn = SignIn.issuing
        signIn.deletion = AccountDeletionRules(method: "DELETE", path: try PathPattern("/api/account"))
        let table = EndpointTable(try Tenant.chat(signIn))
        let (method, path) = (Array(method.utf8), Array(path.utf8))
        return table.endpoint(at: path.span, method: method.span)
    }

    @Test(arguments: ["/api/account", "/api/account/"])
    func deletionIsTheGatewaysWithItsMethodAlone(_ path: String) throws {
        #expect(try Self.endpoint("DELETE", path) == .accountDeletion)
        for method in ["GET", "POST", "delete", "DELETED", "DELET", "OPTIONS", ""] {
            #expect(try Self.endpoint(method, path) == nil, "\(method)")
        }
    }

    @Test func receiptIsTheGatewaysWithAnyMethod() throws {
        for method in ["GET", "POST"] {
            #expect(try Self.endpoint(method, "/api/account/receipt") == .deletionReceipt)
        }
        #expect(try Self.endpoint("GET", "/api/account/receipts") == nil)
    }
}
