import Testing
import Verification

@testable import Tenants

/// What the writer of a stored tenant may write.
struct TenantWriterTests {
    private static func scopes(_ patterns: String...) -> [AdminScope] {
        patterns.compactMap { TenantNamePattern($0).map(AdminScope.tenants) }
    }

    @Test func scopesDecide() {
        #expect(TenantWriter([.read, .all]) == .all)
        #expect(TenantWriter.all.covers("anything"))
        let limited = TenantWriter([.read] + Self.scopes("shop-*", "clan"))
        #expect(limited.covers("shop-1") && limited.covers("clan"))
        #expect(!limited.covers("bank") && !limited.covers("clan2"))
        #expect(!TenantWriter([.read, .revoke]).covers("shop"))
    }

    @Test func jsonKeepsIt() {
        for writer in [TenantWriter.all, TenantWriter(Self.scopes("shop-*", "clan")), .limited(to: [])] {
            #expect(TenantWriter(json: writer.json, of: "shop") == writer)
        }
    }

    /// Of a tenant whose writer was not kept nobody knows what else that could write.
    @Test func unknownWriterMayWriteThisTenantOnly() {
        for json in [nil, JSONValue.null, "none", 1] as [JSONValue?] {
            let writer = TenantWriter(json: json, of: "shop")
            #expect(writer != .all && writer.covers("shop") && !writer.covers("shop-2"))
        }
    }
}
