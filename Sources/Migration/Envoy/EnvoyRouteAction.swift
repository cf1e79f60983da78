/// What a route of Envoy does, as far as a route here can do it.
enum EnvoyRouteAction {
    case answered(DraftRoute.Action)
    case forwarded([Share], rewrite: String?)

    struct Share: Equatable {
        var cluster: String
        var weight: Int
    }

    /// The paths that a match is about, as a route has them; nil if no pattern has just these.
    static func pattern(_ matched: EnvoyRouteMatch.Matched) -> String? {
        guard !matched.isNarrower, let (pattern, _) = matched.matcher.nearest else { return nil }
        return pattern
    }

    static func read(_ route: SourceNode, _ matched: EnvoyRouteMatch.Matched) -> EnvoyRouteAction? {
        guard let pattern = pattern(matched) else { return nil }
        if let redirect = route["redirect"] { return self.redirect(redirect, at: pattern).map(Self.answered) }
        if let response = route["direct_response"] { return self.response(response).map(Self.answered) }
        guard let action = route["route"], let shares = shares(action), action["regex_rewrite"] == nil else {
            return nil
        }
        guard let prefix = action["prefix_rewrite"]?.text else { return .forwarded(shares, rewrite: nil) }
        return replaced(prefix, at: pattern).map { .forwarded(shares, rewrite: $0) }
    }

    private static func shares(_ action: SourceNode) -> [Share]? {
        if let cluster = action["cluster"]?.text { return [Share(cluster: cluster, weight: 1)] }
        let entries = action["weighted_clusters"]?["clusters"]?.items ?? []
        let shares = entries.compactMap { entry -> Share? in
            guard let name = entry["name"]?.text, let weight = entry["weight"]?.number, weight > 0,
                weight <= 10_000, entry["request_headers_to_add"] == nil
            else { return nil }
            return Share(cluster: name, weight: weight)
        }
        let isWhole = !shares.isEmpty && shares.count == entries.filter { $0["weight"]?.number != 0 }.count
        return isWhole && Set(shares.map(\.cluster)).count == shares.count ? shares : nil
    }

    /// A prefix of the new path: the rest of the old one follows it.
    private static func replaced(_ prefix: String, at pattern: String) -> String? {
        guard prefix.hasPrefix("/"), !prefix.contains("*"), !prefix.contains("?") else { return nil }
        guard pattern.hasSuffix("/**") else { return prefix }
        return (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + "/**"
    }

    private static let statuses = [
        "MOVED_PERMANENTLY": 301, "FOUND": 302, "SEE_OTHER": 303, "TEMPORARY_REDIRECT": 307, "PERMANENT_REDIRECT": 308,
    ]

    private static func redirect(_ redirect: SourceNode, at pattern: String) -> DraftRoute.Action? {
        let known: Set<String> = [
            "host_redirect", "path_redirect", "prefix_rewrite", "https_redirect", "scheme_redirect", "response_code",
        ]
        guard redirect.entries.allSatisfy({ known.contains(SourceNode.snakeCase($0.key)) }) else { return nil }
        let scheme = redirect["scheme_redirect"]?.text ?? "https"
        let host = redirect["host_redirect"]?.text
        guard scheme == "https" || scheme == "http",
            let status = statuses[redirect["response_code"]?.text ?? "MOVED_PERMANENTLY"]
        else { return nil }
        var path: String? = host == nil ? nil : pattern
        if let fixed = redirect["path_redirect"]?.text {
            path = fixed.hasPrefix("/") && !fixed.contains("*") && !fixed.contains("?") ? fixed : nil
        } else if let prefix = redirect["prefix_rewrite"]?.text {
            path = replaced(prefix, at: pattern)
        }
        return path.map { .redirect(to: (host.map { "\(scheme)://\($0)" } ?? "") + $0, status: status) }
    }

    private static func response(_ response: SourceNode) -> DraftRoute.Action? {
        guard let status = response["status"]?.number, (200...599).contains(status), !(300..<400).contains(status)
        else { return nil }
        guard let body = response["body"] else { return .respond(status: status, body: nil) }
        return body["inline_string"]?.text.map { .respond(status: status, body: $0.isEmpty ? nil : $0) }
    }
}
