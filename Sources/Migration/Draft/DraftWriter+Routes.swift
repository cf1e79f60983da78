extension DraftWriter {
    mutating func writeRoutes(_ routes: [DraftRoute]) {
        guard !routes.isEmpty else { return }
        lines.line(4, "routes:", comment: "the first that matches decides; all else goes to default")
        for route in routes {
            lines.line(
                6,
                "- { \(Self.parts(of: route).joined(separator: ", ")) }",
                comment: Self.comment(route.origin, route.remark)
            )
        }
    }

    private static func parts(of route: DraftRoute) -> [String] {
        var parts = ["path: \(YAMLLines.scalar(route.path))"]
        if !route.methods.isEmpty { parts.append("methods: \(YAMLLines.list(route.methods))") }
        if !route.headers.isEmpty {
            let fields = route.headers.map { "\(YAMLLines.scalar($0.name)): \(YAMLLines.quoted($0.value.text))" }
            parts.append("when: { header: { \(fields.joined(separator: ", ")) } }")
        }
        parts.append(text(of: route.action))
        if let rewrite = route.rewrite { parts.append("rewrite: \(YAMLLines.quoted(rewrite))") }
        if let mirror = route.mirror {
            let percent = mirror.weight == 100 ? "" : ", percent: \(mirror.weight)"
            parts.append("mirror: { backend: \(YAMLLines.scalar(mirror.backend))\(percent) }")
        }
        if let timeout = route.responseTimeout { parts.append("timeouts: { response: \(timeout.text) }") }
        if let bytes = route.bodyBytes { parts.append("limits: { body_bytes: \(bytes.text) }") }
        return parts
    }

    private static func text(of action: DraftRoute.Action) -> String {
        switch action {
        case .backend(let name): return "backend: \(YAMLLines.scalar(name))"
        case .split(let shares):
            let items = shares.map { "{ backend: \(YAMLLines.scalar($0.backend)), weight: \($0.weight) }" }
            return "split: [ \(items.joined(separator: ", ")) ]"
        case .redirect(let to, let status):
            return "redirect: { to: \(YAMLLines.quoted(escaped(to)))\(status == 308 ? "" : ", status: \(status)") }"
        case .respond(let status, let body):
            let text = body.map { ", body: \(YAMLLines.quoted(escaped($0)))" } ?? ""
            return "respond: { status: \(status)\(text) }"
        }
    }

    /// Its `${` is none of a variable.
    private static func escaped(_ text: String) -> String { text.replacing("${", with: "$${") }
}
