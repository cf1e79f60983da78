import Testing

@testable import Tenants

/// The table of docs/routes.md that translates other proxies' routes: each of its routes is one that is read.
struct RouteGuideTests {
    private static func routes() throws -> [String] {
        let lines = try Repository.text("docs/routes.md").split(separator: "\n")
        let table = lines.drop { $0 != "| there | here |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        return table.compactMap { line in
            guard let start = line.range(of: "| `{ ") else { return nil }
            let route = line[start.lowerBound...].dropFirst(3)
            return route.hasSuffix("` |") ? String(route.dropLast(3)) : nil
        }
    }

    @Test func everyTranslatedRouteIsRead() throws {
        let routes = try Self.routes()
        #expect(routes.count >= 16)
        for route in routes {
            let backends = ["default", "web", "api", "next"].map { "\($0): { servers: [http://127.0.0.1:9001] }" }
            let tenant = """
                version: 1
                tenants:
                  shop:
                    hosts: [shop.test]
                    backends: { \(backends.joined(separator: ", ")) }
                    routes: [ \(route) ]
                    authenticate: { issuers: [\(Sample.issuer)] }
                """
            let result = Sample.read(tenant)
            #expect(result.errors.isEmpty, "\(route)")
            #expect(result.configuration?.tenants.first?.routes.routes.count == 1)
        }
    }
}
