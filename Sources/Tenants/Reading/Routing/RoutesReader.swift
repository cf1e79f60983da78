import ConfigurationText

/// Reads `routes`.
struct RoutesReader {
    let backends: [Backend]
    /// The tenant's.
    let limits: RequestLimits
    /// The tenant's.
    let webSocket: WebSocketRules
    let pathPrefix: String?

    func read(_ tenant: DocumentNode, _ session: ReadingSession) -> RouteTable {
        let items = tenant.read(Schema.tenant.routes)
        var routes: [Route] = []
        for item in items {
            guard let route = readRoute(item, session) else { continue }
            checkReached(route, after: routes, item, session)
            routes.append(route)
        }
        RedirectLoopCheck.check(routes, items, session)
        checkUsed(routes, tenant, session)
        return RouteTable(routes)
    }

    private func readRoute(_ node: DocumentNode, _ session: ReadingSession) -> Route? {
        let methods = MethodsReader.read(node[Schema.route.methods], session)
        let conditions = readConditions(node[Schema.route.when], session)
        guard let path = PathReader.read(Schema.route.path, in: node, as: "no path of a route", session) else {
            return nil
        }
        let reader = RouteActionReader(node: node, path: path, backends: backends)
        guard let action = reader.read(session), let methods, let conditions else { return nil }
        let limits = node[Schema.route.limits]
        return Route(
            path: path,
            methods: RequestMethods(methods),
            conditions: conditions,
            action: action,
            limits: RequestLimits(
                bodyBytes: limits.read(Schema.routeLimits.bodyBytes) ?? self.limits.bodyBytes,
                bodyRate: limits.read(Schema.routeLimits.bodyRate) ?? self.limits.bodyRate,
                replayBytes: limits.read(Schema.routeLimits.replayBytes) ?? self.limits.replayBytes
            ),
            webSocket: WebSocketRules(
                onExpiry: node[Schema.route.websocket].read(Schema.routeWebSocket.onExpiry) ?? webSocket.onExpiry
            ),
            line: node.position.sourceLine
        )
    }

    /// - Returns: nil if one of them is malformed, so that the route does not become wider than it was meant.
    private func readConditions(_ node: DocumentNode?, _ session: ReadingSession) -> [HeaderCondition]? {
        var conditions: [HeaderCondition] = []
        var isValid = true
        for entry in node?[Schema.routeCondition.header]?.entries ?? [] {
            guard let scalar = entry.value.scalar, NetworkText.isToken(entry.key) else {
                isValid = false
                if entry.value.scalar != nil {
                    session.at(entry).error("\"\(entry.key)\" is no header's name: it has letters, digits and \"-\"")
                }
                continue
            }
            if scalar.text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) || scalar.text != scalar.text.trimmed {
                session.at(entry.value).error(
                    "no header has this value: it is one line without control characters, and without spaces around it"
                )
                isValid = false
            }
            conditions.append(HeaderCondition(name: entry.key, value: scalar.text))
        }
        return isValid ? conditions : nil
    }

    private func checkReached(_ route: Route, after earlier: [Route], _ node: DocumentNode, _ session: ReadingSession) {
        if let covering = route.covering(among: earlier) {
            let lines = Set(covering.map(\.line)).sorted().map { "line \($0.number)" }.joined(separator: " and ")
            session.at(node).error(
                "this route is never reached, all of it is decided in \(lines): move it up or leave it out"
            )
        } else if let pathPrefix, !route.path.meets(prefix: pathPrefix) {
            session.at(node[Schema.route.path] ?? node).error(
                "no request of this tenant has such a path, its \"path_prefix\" is \(pathPrefix): write the whole path, "
                    + "like \(pathPrefix)/**"
            )
        }
    }

    private func checkUsed(_ routes: [Route], _ tenant: DocumentNode, _ session: ReadingSession) {
        let used = Set(routes.compactMap(\.forwarding).flatMap(\.backends).map { backends[$0].name })
        for entry in tenant[Schema.tenant.backends]?.entries ?? []
        where entry.key != Backend.defaultName && !used.contains(entry.key) {
            session.at(entry).warning("no route sends anything to \"\(entry.key)\": add a route, or leave it out")
        }
    }
}

extension String {
    /// Without spaces and tabs at both ends.
    fileprivate var trimmed: String {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
