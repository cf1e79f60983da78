import ConfigurationText
import Verification

/// Reads `tests`.
struct TenantTestsReader {
    let backends: [Backend]
    let routes: RouteTable
    /// What a browser gets that opens a page without a good token.
    let navigations: UnauthenticatedNavigation

    /// Fields that the gateway writes from `request` and the tenant's hosts.
    private static let ownFields = ["host", "content-length", "transfer-encoding", "connection"]

    func read(_ items: [DocumentNode], _ session: ReadingSession) -> [TenantTest] {
        items.compactMap { readTest($0, session) }
    }

    private func readTest(_ node: DocumentNode, _ session: ReadingSession) -> TenantTest? {
        let request = node[Schema.assertion.request].flatMap { Self.readRequest($0, session) }
        let fields = Self.readFields(node[Schema.assertion.headers], session)
        let expectation = node[Schema.assertion.expect].flatMap { readExpectation($0, session) }
        guard let request, let fields, let expectation else { return nil }
        return TenantTest(
            method: request.method,
            target: request.target,
            claims: node[Schema.assertion.claims].map(Self.claims),
            fields: fields,
            status: expectation.status,
            code: expectation.code,
            backend: expectation.backend,
            line: node.position.sourceLine,
            column: node.position.column
        )
    }

    private static func readRequest(
        _ node: DocumentNode,
        _ session: ReadingSession
    ) -> (method: String, target: String)? {
        guard let scalar = node.filled else { return nil }
        let fault = "\"request\" must be a method and a path, but \(scalar.shown) is none"
        return session.at(node).value(of: try request(scalar.text), or: fault)
    }

    private static func request(_ text: String) throws(Remedy) -> (method: String, target: String) {
        let (method, target) = try NetworkText.methodAndPath(text, example: "GET /orders")
        guard target.hasPrefix("/") || target == "*" else { throw Remedy("the path begins with \"/\"") }
        guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !target.contains("#") else {
            throw Remedy("write the path as it is sent, with spaces and other letters in percent form")
        }
        return (method, target)
    }

    /// - Returns: nil if one of them cannot be sent, which was reported.
    private static func readFields(
        _ node: DocumentNode?,
        _ session: ReadingSession
    ) -> [(name: String, value: String)]? {
        var fields: [(name: String, value: String)] = []
        var isValid = true
        for entry in node?.entries ?? [] {
            guard let scalar = entry.value.scalar else {
                isValid = false
                continue
            }
            if let remedy = mistake(inField: entry.key, scalar.text) {
                session.at(entry).error("a test cannot send this header: \(remedy)")
                isValid = false
            }
            fields.append((entry.key, scalar.text))
        }
        return isValid ? fields : nil
    }

    private static func mistake(inField name: String, _ value: String) -> String? {
        guard NetworkText.isToken(name) else { return "its name has letters, digits and \"-\"" }
        guard !ownFields.contains(name.lowercased()) else {
            return "it is made of the tenant's first host and of \"request\"; leave it out"
        }
        guard value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) || $0 >= 0x80 }) else {
            return "its value is one line without control characters"
        }
        return nil
    }

    private struct Expectation {
        var status: Int
        var code: String?
        var backend: String?
    }

    private func readExpectation(_ node: DocumentNode, _ session: ReadingSession) -> Expectation? {
        guard let status = node.read(Schema.expectation.status) else { return nil }
        let code = node.read(Schema.expectation.code)
        guard status == 200 || (400...599).contains(status) || answers(with: status) || leadsAway(with: status) else {
            if let value = node[Schema.expectation.status], (100...599).contains(status) {
                session.at(value).error(
                    "no decision has the status \(status): write 200 for a request that goes on, or a refusal's status"
                )
            }
            return nil
        }
        if status == 200, code != nil, let entry = node.entry(Schema.expectation.code) {
            return session.at(entry)
                .refuse("a request that goes on has no code: leave it out, or expect a refusal's status")
        }
        let backend = node.read(Schema.expectation.backend)
        if let backend, let entry = node.entry(Schema.expectation.backend) {
            guard status == 200 else {
                return session.at(entry).refuse(
                    "only a request that goes on has a backend: leave it out, or expect 200"
                )
            }
            guard backends.contains(where: { $0.name == backend }) else {
                let nearest = EditDistance.nearest(to: backend, among: backends.map(\.name))
                let remedy = nearest.map { "did you mean \"\($0)\"?" } ?? "name one of \"backends\""
                return session.at(entry.value).refuse("\(entry.value.shown) is no backend of this tenant: \(remedy)")
            }
        }
        return Expectation(status: status, code: code, backend: backend)
    }

    /// Whether a route's own answer has this status.
    private func answers(with status: Int) -> Bool {
        routes.routes.contains { route in
            switch route.action {
            case .forward: false
            case .redirect(let redirect): redirect.status == status
            case .respond(let response): response.status == status
            }
        }
    }

    /// Whether a browser is led to sign in with this status: from a page, or from a form that it sends.
    private func leadsAway(with status: Int) -> Bool {
        navigations == .signIn && (status == 302 || status == 303)
    }

    /// The claims as JSON: what YAML reads as a number or a boolean is one.
    private static func claims(_ node: DocumentNode) -> JSONObject {
        var claims = JSONObject()
        for entry in node.entries { claims[entry.key] = value(entry.value) }
        return claims
    }

    private static func value(_ node: DocumentNode) -> JSONValue {
        switch node.content {
        case .null, .unresolved: return .null
        case .list(let items): return .array(items.map(value))
        case .map: return .object(claims(node))
        case .scalar(let scalar):
            guard scalar.isTyped, let value = try? JSONParser.parse(Array(scalar.text.utf8)) else {
                return .string(scalar.text)
            }
            switch value {
            case .number, .bool, .null: return value
            case .string, .array, .object: return .string(scalar.text)
            }
        }
    }
}
