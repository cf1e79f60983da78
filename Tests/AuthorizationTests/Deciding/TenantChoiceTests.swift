import Tenants
import TestSupport
import Testing
import UpstreamTestSupport

@testable import Authorization

/// A host that several tenants share by path: every reading of a path has the same tenant.
struct TenantChoiceTests {
    private static let guarded = AccessRule.Allow.signedIn(roles: ["admin"], scopes: [])

    /// An open tenant for the whole host beside a guarded one below `prefix`.
    private func pipeline(_ prefix: String, root: Tenant.Mode = .enforce) throws -> RequestPipeline {
        RequestPipeline([
            try RequestPipeline.tenant(name: "all", access: [try RequestPipeline.rule("/**", .anyone)], mode: root),
            try RequestPipeline.tenant(
                name: "guarded",
                prefix: prefix,
                access: [try RequestPipeline.rule("/**", Self.guarded)]
            ),
        ])
    }

    private func tenant(_ decision: RequestPipeline.Outcome) -> String? { decision.grant?.request.tenant.tenant.name }

    @Test(arguments: [
        "/api//admin/x", "/api/admin;a/x", "/api;v=1/admin/x", "/api/./admin;x=1/x", "/api/;/admin", "/api;/admin",
        "/api///admin", "/api/admin;", "/api//%61dmin", "/x/../api//admin",
    ])
    func readingsOfSeveralTenantsAre400(path: String) throws {
        for mode in [Tenant.Mode.enforce, .observe] {
            #expect(try pipeline("/api/admin", root: mode).get(path).refusal?.code == .ambiguousPath, "\(mode)")
        }
    }

    @Test(arguments: [
        "/admin%2fx", "/admin%5cx", "/admin\\x", "/x/..%2fadmin/x", "/%2561dmin/x", "/admin;a/x", "/x%2f..%2fadmin",
        "/x/..;/admin", "/x//../admin", "/%25252561dmin", "/..%5cadmin", "/admin%3bx", "/admin%00", "/ad%00min",
        "/%61dmin%252f", "/../admin", "/%c1%a1dmin", "/%u0061dmin",
    ])
    func observingTenantRefusesPathsThatMayBeAnotherTenants(path: String) throws {
        #expect(try pipeline("/admin", root: .observe).get(path).refusal?.code == .ambiguousPath)
    }

    /// What observe mode lets through elsewhere goes on to be let through.
    @Test(arguments: [
        "/a%2fb", "/a%5cb", "/files/..%2fadministration", "/..", "/a;x/../b", "/%252e", "/x/a%2fadmins", "/Admin%2f",
    ])
    func observingTenantForwardsPathsThatAreItsOwnInEveryReading(path: String) throws {
        #expect(tenant(try pipeline("/admin", root: .observe).get(path)) == "all")
    }

    @Test(arguments: ["/a%2fadmin", "/%00", "/%ff", "/x/..;/admin"])
    func hostWithoutPathPrefixObserves(path: String) throws {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(name: "all", access: [try RequestPipeline.rule("/**", .anyone)], mode: .observe),
            try RequestPipeline.tenant(name: "other", host: "other.test", prefix: "/admin"),
        ])
        #expect(tenant(pipeline.get(path)) == "all")
    }

    @Test(arguments: [
        ("/api/admin//x;y", "guarded"), ("/api//x;y/admin", "all"), ("/apis;x/admin", "all"), ("//x", "all"),
        ("/api/administer;x", "all"), ("/api/Admin;x", "all"),
    ])
    func readingsOfOneTenantAreItsOwn(path: String, name: String) throws {
        let tenants = try [("all", nil), ("guarded", "/api/admin")].map {
            try RequestPipeline.tenant(name: $0.0, prefix: $0.1, access: [try RequestPipeline.rule("/**", .anyone)])
        }
        #expect(tenant(RequestPipeline(tenants).get(path)) == name)
    }

    @Test func pathWithATenantInOtherReadingsOnlyIs400() throws {
        let pipeline = RequestPipeline([
            try RequestPipeline.tenant(prefix: "/shop", access: [try RequestPipeline.rule("/**", .anyone)])
        ])
        #expect(pipeline.get("/shop;x/a").refusal == .severalTenants)
        #expect(pipeline.get("/x//y").refusal == .unknownHost)
    }

    // MARK: Property

    private static let parts = [
        "/", "/", "/", "//", "admin", "api", "a", "b", "x", "Admin", ".", "..", "..", "%2e", "%2f", "%2F", "%5c", "\\",
        ";", ";x=1", "%3b", "%25", "%252f", "%2561", "%61", "%255c", "%253b", "%c3%a9", "%00", "%", "%25252f", "%2e%2e",
    ]
    private static let prefixes = ["/admin", "/api", "/api/admin", "/a", "/a/b", "/x/admin", "/api/a/b", "/b"]

    private func randomTenants(_ random: inout SplitMix64) throws -> [Tenant] {
        let open = [try RequestPipeline.rule("/**", .anyone)]
        var tenants: [Tenant] = []
        if random.below(8) > 0 {
            tenants.append(
                try RequestPipeline.tenant(name: "/", access: open, mode: random.pick([.observe, .observe, .enforce]))
            )
        }
        for prefix in Self.prefixes where random.below(3) == 0 {
            let mode = random.pick([Tenant.Mode.observe, .enforce])
            tenants.append(try RequestPipeline.tenant(name: prefix, prefix: prefix, access: open, mode: mode))
        }
        return tenants
    }

    /// Whatever backends and servers before them decode, merge, drop or resolve, in any order, and the tenant that each
    /// reading belongs to: the one that has let the request through.
    @Test func noBackendReadsThePathOfAnotherTenant() throws {
        var random = SplitMix64(seed: 72)
        var counts = (rewritten: 0, ambiguous: 0, refused: 0, readings: 0)
        for _ in 0..<150 {
            let tenants = try randomTenants(&random)
            let pipeline = RequestPipeline(tenants)
            for _ in 0..<120 {
                let path = "/" + (0..<random.below(9)).map { _ in random.pick(Self.parts) }.joined()
                let decision = pipeline.get(path)
                guard let grant = decision.grant else {
                    if decision.refusal?.code == .ambiguousPath { counts.refused += 1 }
                    continue
                }
                let forwarded = try #require(
                    pipeline.forwardedBytes(RequestPipeline.request(path), from: try RequestPipeline.peer())
                )
                let target = Array(forwarded.split(separator: UInt8(ascii: " "), maxSplits: 2)[1])
                let readings = BackendPathReadings.all(of: target)
                counts.readings += readings.count
                switch grant.request.path {
                case .rewritten: counts.rewritten += 1
                case .ambiguous: counts.ambiguous += 1
                case .asReceived, .literal: break
                }
                for reading in readings {
                    guard let owner = BackendPathReadings.owner(of: reading, among: tenants.map(\.name)) else {
                        continue
                    }
                    guard owner == grant.request.tenant.tenant.name else {
                        Issue.record(
                            "\(path) of \(grant.request.tenant.tenant.name) may be read as \(reading) of \(owner)"
                        )
                        return
                    }
                }
            }
        }
        #expect(counts.rewritten > 1000 && counts.ambiguous > 500 && counts.refused > 2000)
        #expect(counts.readings > 3 * (counts.rewritten + counts.ambiguous))
    }
}

/// How servers read a path, written by another way than the gateway does.
private enum BackendPathReadings {
    private static let most = 400

    /// All that a row of such servers can make of the path.
    static func all(of path: [UInt8]) -> Set<String> {
        let start = String(decoding: path, as: UTF8.self)
        var found: Set<String> = [start]
        var next = [start]
        while let path = next.popLast(), found.count < most {
            for step in [decoded, withSlashes, merged, withoutParameters, resolved] {
                let reading = step(path)
                if found.insert(reading).inserted { next.append(reading) }
            }
        }
        return found
    }

    /// The name of a tenant here is its prefix.
    static func owner(of path: String, among prefixes: [String]) -> String? {
        prefixes.filter { $0 == "/" || path == $0 || path.hasPrefix($0 + "/") }.max { $0.utf8.count < $1.utf8.count }
    }

    /// One round of percent-decoding; what is malformed stays.
    private static func decoded(_ path: String) -> String {
        var result: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.first != "+", digits.first != "-",
                let value = UInt8(digits, radix: 16)
            {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func withSlashes(_ path: String) -> String { path.replacing("\\", with: "/") }

    private static func merged(_ path: String) -> String {
        var path = path
        while path.contains("//") { path = path.replacing("//", with: "/") }
        return path
    }

    private static func withoutParameters(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.prefix { $0 != ";" } }
            .joined(separator: "/")
    }

    private static func resolved(_ path: String) -> String {
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part == ".." { _ = segments.popLast() }
            if part != "." && part != ".." { segments.append(part) } else if isLast { segments.append("") }
        }
        return "/" + segments.joined(separator: "/")
    }
}
