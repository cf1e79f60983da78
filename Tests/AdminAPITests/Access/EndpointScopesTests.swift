import Foundation
import Tenants
import TestSupport
import Testing
import Verification

@testable import AdminAPI

/// The table of scopes, and its other copies.
struct EndpointScopesTests {
    @Test func descriptionSaysTheSameOfEachEndpoint() throws {
        let paths = try #require(AdminDocument.json(version: "1")["paths"]?.object)
        var described: [String: [String]] = [:]
        for path in paths.members {
            for operation in path.value.object?.members ?? [] {
                let security = operation.value.object?["security"]?.array ?? []
                let scopes = security.compactMap { $0.object?["token"]?.array?.first?.string }
                guard !security.isEmpty else { continue }
                described["\(operation.name.uppercased()) \(path.name)"] = scopes.filter { $0 != "all" }
            }
        }
        let table = EndpointScopes.table.mapValues { $0.filter { $0 != .all }.map(\.rawValue) }
        #expect(described == table)
    }

    @Test func documentHasARowForEachEndpoint() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let document = try String(contentsOf: root.appending(path: "docs/admin.md"), encoding: .utf8)
        for (endpoint, kinds) in EndpointScopes.table {
            let row = "| `\(endpoint)` | \(kinds.map { "`\($0.rawValue)`" }.joined(separator: ", ")) |\n"
            #expect(document.contains(row), "\(row)")
        }
    }

    @Test func unknownEndpointNeedsAll() {
        #expect(EndpointScopes.needed("PATCH", "/api/tenants") == [.all])
        #expect(EndpointScopes.needed("HEAD", "/api/tenants") == EndpointScopes.needed("GET", "/api/tenants"))
    }

    @Test func callerMayWhatOneOfItsScopesAllows() throws {
        let shops = try #require(TenantNamePattern("shop-*"))
        let reader = AdminCaller.named("desk", [.read])
        #expect(reader.may([.read, .revoke], tenant: nil))
        #expect(!reader.may([.revoke], tenant: nil))
        #expect(!reader.may([.all], tenant: nil))
        let both = AdminCaller.named("shops", [.revoke, .tenants(shops)])
        #expect(both.may([.tenants], tenant: "shop-1") && both.may([.revoke], tenant: "other"))
        #expect(!both.may([.tenants], tenant: "other") && !both.may([.read], tenant: "shop-1"))
        for caller in [AdminCaller.token, .loopback, .certificate(subject: "CN=x"), .named("x", [.all])] {
            #expect(AdminScope.Kind.allCases.allSatisfy { caller.may([$0], tenant: "any") })
        }
    }
}
