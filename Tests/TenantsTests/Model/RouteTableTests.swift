import TestSupport
import Testing

@testable import Tenants

@Suite struct RouteTableTests {
    private static func route(_ path: String, _ methods: [String] = [], _ conditions: [HeaderCondition] = []) throws
        -> Route
    {
        Route(
            path: try PathPattern(path),
            methods: RequestMethods(methods),
            conditions: conditions,
            action: .forward(RouteForwarding(shares: [RouteForwarding.Share(backend: BackendIndex(0))]))
        )
    }

    private static func find(_ table: RouteTable, _ method: String, _ path: String, _ given: [HeaderCondition] = [])
        -> Int?
    {
        table.firstMatch(method: Array(method.utf8).span, path: Array(path.utf8).span) { given.contains($0) }
    }

    @Test func firstRouteThatMatchesDecides() throws {
        let beta = HeaderCondition(name: "X-Beta", value: "1")
        let table = RouteTable([
            try Self.route("/api/**", [], [beta]), try Self.route("/api/**", ["GET"]), try Self.route("/*/x"),
            try Self.route("/api/x"), try Self.route("/"),
        ])
        #expect(Self.find(table, "GET", "/api/x", [beta]) == 0)
        #expect(Self.find(table, "GET", "/api/x") == 1)
        #expect(Self.find(table, "HEAD", "/api/x") == 1, "what is for GET is for HEAD")
        #expect(Self.find(table, "POST", "/api/x") == 2)
        #expect(Self.find(table, "POST", "/other/x") == 2)
        #expect(Self.find(table, "POST", "/") == 4)
        #expect(Self.find(table, "POST", "/other") == nil)
        #expect(Self.find(table, "POST", "*") == nil)
        #expect(Self.find(RouteTable([]), "GET", "/") == nil)
    }

    /// The table finds what a search through all routes finds.
    @Test func tableAgreesWithASearch() throws {
        var random = SplitMix64(seed: 1422)
        let words = ["a", "b", ""]
        let methods = [[], ["GET"], ["POST"], ["GET", "PUT"]]
        let conditions = [HeaderCondition(name: "A", value: "1"), HeaderCondition(name: "B", value: "*")]
        func word() -> String { words.randomElement(using: &random) ?? "a" }
        for _ in 0..<400 {
            var routes: [Route] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                var segments = (0..<Int.random(in: 0...5, using: &random)).map { _ -> String in
                    let word = word()
                    return word.isEmpty ? "*" : word
                }
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1: segments.append("**")
                case 2: segments.append("")
                default: if segments.isEmpty { segments.append("**") }
                }
                let needed = conditions.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                routes.append(
                    try Self.route(
                        "/" + segments.joined(separator: "/"),
                        methods.randomElement(using: &random) ?? [],
                        needed
                    )
                )
            }
            let table = RouteTable(routes)
            for _ in 0..<40 {
                let path = "/" + (0..<Int.random(in: 0...6, using: &random)).map { _ in word() }.joined(separator: "/")
                let method = ["GET", "HEAD", "POST", "PUT"].randomElement(using: &random) ?? "GET"
                let given = conditions.filter { _ in Bool.random(using: &random) }
                let naive = routes.firstIndex { route in
                    route.methods.contains(Array(method.utf8).span) && route.path.matches(Array(path.utf8).span)
                        && route.conditions.allSatisfy(given.contains)
                }
                #expect(Self.find(table, method, path, given) == naive, "\(method) \(path) \(routes.map(\.path))")
            }
        }
    }

    @Test func shareOfASplitIsWithinOnePercent() {
        let forwarding = RouteForwarding(shares: [
            RouteForwarding.Share(backend: BackendIndex(0), weight: 90),
            RouteForwarding.Share(backend: BackendIndex(1), weight: 7),
            RouteForwarding.Share(backend: BackendIndex(2), weight: 3),
        ])
        var random = SplitMix64(seed: 3)
        var counts = [0, 0, 0]
        for _ in 0..<100_000 {
            if let backend = forwarding.backend(at: random.next()) { counts[backend.value] += 1 }
        }
        #expect(counts.reduce(0, +) == 100_000)
        for (count, share) in zip(counts, [0.90, 0.07, 0.03]) { #expect(abs(Double(count) / 100_000 - share) < 0.01) }
        #expect(forwarding.backend(at: 0) == BackendIndex(0))
        #expect(forwarding.backend(at: .max) == BackendIndex(2))
    }

    /// Callers that were on the growing share stay there.
    @Test func growingLastShareTakesOnlyFromThoseBeforeIt() {
        func split(_ weight: Int) -> RouteForwarding {
            RouteForwarding(shares: [
                RouteForwarding.Share(backend: BackendIndex(0), weight: 100 - weight),
                RouteForwarding.Share(backend: BackendIndex(1), weight: weight),
            ])
        }
        var random = SplitMix64(seed: 4)
        for _ in 0..<10_000 {
            let point = random.next()
            if split(5).backend(at: point) == BackendIndex(1) {
                #expect(split(20).backend(at: point) == BackendIndex(1))
            }
        }
    }
}
