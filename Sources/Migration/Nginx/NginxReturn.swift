/// What `return` and `rewrite` of a location answer instead of a backend.
enum NginxReturn {
    private static let redirects: Set<Int> = [301, 302, 303, 307, 308]
    /// Statuses with a meaning of nginx's own: 444 ends the connection.
    private static let own: Set<Int> = [444, 494, 495, 496, 497, 499]

    /// - Parameter pattern: The paths that it is about, as of a route.
    /// - Returns: nil if a route cannot say it.
    static func action(_ directive: NginxDirective, at pattern: String) -> DraftRoute.Action? {
        switch directive.name {
        case "return": returned(directive.arguments, at: pattern)
        case "rewrite": rewritten(directive, at: pattern)
        default: nil
        }
    }

    private static func returned(_ arguments: [String], at pattern: String) -> DraftRoute.Action? {
        if arguments.count == 1, arguments[0].hasPrefix("http") {
            return target(arguments[0], at: pattern).map { .redirect(to: $0, status: 302) }
        }
        guard let status = arguments.first.flatMap({ Int($0) }), arguments.count <= 2 else { return nil }
        let text = arguments.count == 2 ? arguments[1] : nil
        if redirects.contains(status) {
            return text.flatMap { target($0, at: pattern) }.map { .redirect(to: $0, status: status) }
        }
        guard (200...599).contains(status), !own.contains(status), !redirects.contains(status),
            !(300..<400).contains(status), text?.contains("$") != true
        else { return nil }
        return .respond(status: status, body: text.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// Where a redirection leads, as a route says it: `/new$request_uri` at `/old/**` is `/new/old/**`.
    private static func target(_ text: String, at pattern: String) -> String? {
        var rest = text[...]
        for suffix in ["$is_args$args", "?$args", "?$query_string"] where rest.hasSuffix(suffix) {
            // The query is kept in any case.
            rest = rest.dropLast(suffix.count)
        }
        for origin in ["$scheme://$host", "https://$host", "$scheme://$http_host", "https://$http_host"]
        where rest.hasPrefix(origin) {
            rest = rest.dropFirst(origin.count)
            break
        }
        var isWhole = false
        for path in ["$request_uri", "$uri", "$document_uri"] where rest.hasSuffix(path) {
            rest = rest.dropLast(path.count)
            isWhole = true
            break
        }
        guard !rest.contains("$"), !rest.contains("*"), !rest.contains("?") else { return nil }
        if rest.hasSuffix("/"), isWhole { rest = rest.dropLast() }
        let target = rest + (isWhole ? pattern : "")
        guard target.hasPrefix("/") || target.hasPrefix("https://") || target.hasPrefix("http://") else { return nil }
        return String(target)
    }

    /// `rewrite ^/old/(.*)$ /new/$1 permanent` in the location of `/old/`.
    private static func rewritten(_ directive: NginxDirective, at pattern: String) -> DraftRoute.Action? {
        let statuses = ["permanent": 301, "redirect": 302]
        guard directive.arguments.count == 3, let status = statuses[directive.arguments[2]],
            let target = replaced(directive, at: pattern)
        else { return nil }
        return .redirect(to: target, status: status)
    }

    /// The new path of a `rewrite` of all that is below a path, as a route says it; nil for all else.
    static func replaced(_ directive: NginxDirective, at pattern: String) -> String? {
        guard directive.arguments.count >= 2, pattern.hasSuffix("/**") else { return nil }
        let (old, new) = (directive.arguments[0], directive.arguments[1])
        let start = "^\(pattern.dropLast(2))(.*)"
        guard old == start || old == start + "$", new.hasSuffix("/$1") else { return nil }
        let base = new.dropLast(3)
        guard !base.contains("$"), !base.contains("*"), !base.contains("?") else { return nil }
        let target = base + "/**"
        return target.hasPrefix("/") || target.hasPrefix("https://") || target.hasPrefix("http://")
            ? String(target) : nil
    }

    /// Whether a server does nothing but send clients to the same URL over TLS.
    static func isToHTTPS(_ server: NginxDirective) -> Bool {
        let answers = (server.block ?? []).filter { ["return", "rewrite", "location"].contains($0.name) }
        guard answers.count == 1, let only = answers.first, only.name == "return" else { return false }
        let targets = [
            "https://$host$request_uri", "https://$http_host$request_uri", "https://$server_name$request_uri",
        ]
        return only.arguments.last.map(targets.contains) ?? false
    }
}
