import ConfigurationText

/// Reads what a route does with its requests.
struct RouteActionReader {
    let node: DocumentNode
    let path: PathPattern
    let backends: [Backend]

    /// - Returns: nil if it is malformed, which was reported.
    func read(_ session: ReadingSession) -> Route.Action? {
        let keys = Schema.route
        let all = [keys.backend.name, keys.split.name, keys.redirect.name, keys.respond.name]
        let given = node.entries.filter { all.contains($0.key) }
        guard let first = given.first else {
            return session.at(node).refuse(
                "the route does not say where its requests go: add \"backend\", \"split\", \"redirect\" or \"respond\""
            )
        }
        if given.count > 1 {
            return session.at(given[1]).refuse("the route has \"\(first.key)\" already: keep one of them")
        }
        switch first.key {
        case keys.redirect.name:
            checkNoForwarding("redirects", session)
            return readRedirect(first.value, session).map(Route.Action.redirect)
        case keys.respond.name:
            checkNoForwarding("answers by itself", session)
            return readResponse(first.value, session).map(Route.Action.respond)
        default: return readForwarding(session).map(Route.Action.forward)
        }
    }

    private func checkNoForwarding(_ behavior: String, _ session: ReadingSession) {
        let keys = Schema.route
        let forwarding = [
            keys.sticky.name, keys.rewrite.name, keys.mirror.name, keys.timeouts.name, keys.retries.name,
            keys.websocket.name,
        ]
        for entry in node.entries where forwarding.contains(entry.key) {
            session.at(entry).error(
                "\"\(entry.key)\" is for requests that are forwarded, and this route \(behavior): leave it out"
            )
        }
    }

    // MARK: Forwarding

    private func readForwarding(_ session: ReadingSession) -> RouteForwarding? {
        let keys = Schema.route
        var shares = readSplit(session)
        if let backend = node[keys.backend] {
            shares = self.backend(backend, session).map { [RouteForwarding.Share(backend: $0)] }
            if let sticky = node.entry(keys.sticky) {
                session.at(sticky).error("\"sticky\" without \"split\": leave it out, or split the requests")
            }
        }
        let rewrite = node[keys.rewrite].map { readTemplate($0, of: $0.filled?.text, name: keys.rewrite.name, session) }
        let mirror = node[keys.mirror].map { readMirror($0, besides: shares, session) }
        guard let shares, rewrite != .some(nil), mirror != .some(nil) else { return nil }
        return RouteForwarding(
            shares: shares,
            sticky: node.read(keys.sticky),
            rewrite: rewrite ?? nil,
            responseTimeout: node[keys.timeouts].read(Schema.routeTimeouts.response),
            retries: node[keys.retries].map { RetriesReader.read($0, session) },
            mirror: mirror ?? nil
        )
    }

    /// - Returns: nil without a split, and if one of its backends is unknown.
    private func readSplit(_ session: ReadingSession) -> [RouteForwarding.Share]? {
        guard let split = node[Schema.route.split] else { return nil }
        var shares: [RouteForwarding.Share] = []
        var isValid = true
        for item in split.items {
            guard let named = item[Schema.routeShare.backend], let backend = backend(named, session) else {
                isValid = false
                continue
            }
            if shares.contains(where: { $0.backend == backend }) {
                session.at(named).error("\(named.shown) has a share already: leave one out, or add up their weights")
            }
            shares.append(RouteForwarding.Share(backend: backend, weight: item.read(Schema.routeShare.weight) ?? 1))
        }
        return isValid && !shares.isEmpty ? shares : nil
    }

    private func readMirror(
        _ node: DocumentNode,
        besides shares: [RouteForwarding.Share]?,
        _ session: ReadingSession
    ) -> RouteForwarding.Mirror? {
        guard let named = node[Schema.routeMirror.backend], let backend = backend(named, session) else { return nil }
        if shares?.map(\.backend) == [backend] {
            session.at(named).error("\(named.shown) has the requests themselves: name another backend for the copies")
        }
        return RouteForwarding.Mirror(backend: backend, percent: node.read(Schema.routeMirror.percent))
    }

    private func backend(_ node: DocumentNode, _ session: ReadingSession) -> BackendIndex? {
        guard let scalar = node.filled else { return nil }
        if let index = backends.firstIndex(where: { $0.name == scalar.text }) { return BackendIndex(index) }
        let names = backends.map(\.name)
        let nearest = EditDistance.nearest(to: scalar.text, among: names)
        let remedy =
            nearest.map { "did you mean \"\($0)\"?" }
            ?? (names.isEmpty
                ? "add it to \"backends\"" : "the backends here are \(names.prefix(10).joined(separator: ", "))")
        return session.at(node).refuse("\(scalar.shown) is no backend of this tenant: \(remedy)")
    }

    // MARK: The gateway's own answers

    private func readRedirect(_ node: DocumentNode, _ session: ReadingSession) -> RouteRedirect? {
        let status = node.read(Schema.routeRedirect.status)
        if let value = node[Schema.routeRedirect.status], status == 304 || status == 305 || status == 306 {
            session.at(value).error("\(status) is no redirection to another place: write 301, 302, 303, 307 or 308")
        }
        guard let to = node[Schema.routeRedirect.to], let text = to.filled?.text else { return nil }
        guard let scheme = text.range(of: "://") else {
            return readTemplate(to, of: text, name: "to", session).map { RouteRedirect(path: $0, status: status) }
        }
        let slash = text[scheme.upperBound...].firstIndex(of: "/") ?? text.endIndex
        let origin = String(text[..<slash])
        let path = slash == text.endIndex ? "/" : String(text[slash...])
        let fault = "\"to\" must be a path or a URL, but is \(to.shown)"
        guard let (server, _) = session.at(to).value(of: try NetworkText.server(origin), or: fault) else { return nil }
        guard server != .h2c else { return session.at(to).refuse("\(fault): begin it with https:// or http://") }
        return readTemplate(to, of: path, name: "to", session).map {
            RouteRedirect(origin: origin, path: $0, status: status)
        }
    }

    /// - Parameter text: The path in the value; nil if it is empty, which the schema's check reports.
    private func readTemplate(_ node: DocumentNode, of text: String?, name: String, _ session: ReadingSession)
        -> PathTemplate?
    {
        guard let text, let scalar = node.filled else { return nil }
        do throws(PathPattern.Malformed) {
            let template = try PathTemplate(text, of: path)
            if text == "/.gatehouse" || text.hasPrefix("/.gatehouse/") {
                return session.at(node).refuse("\"\(name)\" leads to the gateway's own paths: choose another path")
            }
            return template
        } catch {
            return session.at(node).refuse("\"\(name)\" is no path to make: \(error.reason(of: scalar))")
        }
    }

    private func readResponse(_ node: DocumentNode, _ session: ReadingSession) -> StaticResponse? {
        let keys = Schema.routeResponse
        let status = node.read(keys.status)
        let body = Array((node.read(keys.body) ?? "").utf8)
        let contentType = node.read(keys.contentType)
        if let value = node[keys.body], body.count > Self.mostBodyBytes {
            session.at(value).error("the body has more than 64 KiB: let a backend serve it")
        }
        if let value = node[keys.body], [204, 205, 304].contains(status), !body.isEmpty {
            session.at(value).error("an answer with status \(status) has no body: leave it out")
        }
        if let value = node[keys.contentType], !contentType.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            session.at(value).error("a media type is like text/html; charset=utf-8: write it in ASCII, on one line")
        }
        return StaticResponse(status: status, body: body, contentType: contentType)
    }

    private static let mostBodyBytes = 64 << 10
}
