/// Where `proxy_pass` sends requests.
enum NginxTarget {
    static func directive(in scope: NginxScope) -> NginxDirective? {
        scope.own.last { $0.name == "proxy_pass" || $0.name == "grpc_pass" }
    }

    /// - Returns: nil for variables and sockets of the file system.
    static func url(_ directive: NginxDirective) -> SourceURL? {
        guard !directive.first.contains("$"), var url = SourceURL(directive.first) else { return nil }
        switch url.scheme {
        case "grpc": url.scheme = "h2c"
        case "grpcs": url.scheme = "https"
        case "http", "https": break
        default: return nil
        }
        return url.authority.hasPrefix("unix:") ? nil : url
    }

    /// The servers of an `upstream`, or the one that is named.
    static func backend(_ url: SourceURL, root: NginxScope, _ draft: inout Draft) -> DraftBackend {
        var backend = DraftBackend()
        guard let upstream = root.own.first(where: { $0.name == "upstream" && $0.first == url.authority }) else {
            backend.servers = [DraftServer(url: DraftText(literal: url.origin))]
            return backend
        }
        for directive in upstream.block ?? [] {
            switch directive.name {
            case "server":
                guard !directive.first.hasPrefix("unix:"), !directive.arguments.contains("down") else { continue }
                if directive.arguments.contains("backup") {
                    draft.note(.lost, directive.origin, "server backup", "all servers are used alike: it is left out")
                    continue
                }
                let weight = directive.arguments.compactMap { $0.hasPrefix("weight=") ? Int($0.dropFirst(7)) : nil }
                    .first
                let text = DraftText(literal: "\(url.scheme)://\(directive.first)", directive.origin)
                if !backend.servers.contains(where: { $0.url.text == text.text }) {
                    backend.servers.append(DraftServer(url: text, weight: min(max(1, weight ?? 1), 1000)))
                }
            case "least_conn": backend.balance = DraftText(literal: "least_requests", directive.origin)
            case "keepalive", "keepalive_timeout", "keepalive_requests", "keepalive_time", "zone": break
            default: draft.note(.lost, directive.origin, directive.name, "see backend.balance")
            }
        }
        return backend
    }
}
