import ConfigurationText

/// Finds routes that redirect clients to themselves, directly or by way of others.
enum RedirectLoopCheck {
    static func check(_ routes: [Route], _ items: [DocumentNode], _ session: ReadingSession) {
        for start in routes.indices {
            var lines: [SourceLine] = []
            var index = start
            while let next = target(of: routes[index], among: routes), lines.count < routes.count {
                if next == start {
                    report(routes[start], through: lines, items, session)
                    break
                }
                lines.append(routes[next].line)
                index = next
            }
        }
    }

    /// The route that surely has the redirected request; nil if none has.
    private static func target(of route: Route, among routes: [Route]) -> Int? {
        guard case .redirect(let redirect) = route.action, redirect.origin == nil else { return nil }
        return routes.firstIndex { other in
            other.path.covers(redirect.path.pattern) && other.conditions.allSatisfy(route.conditions.contains)
                && (other.methods.names.isEmpty || other.methods == route.methods)
        }
    }

    private static func report(
        _ route: Route,
        through lines: [SourceLine],
        _ items: [DocumentNode],
        _ session: ReadingSession
    ) {
        guard let node = items.first(where: { $0.position.sourceLine == route.line })?[Schema.route.redirect] else {
            return
        }
        let way = lines.map { "line \($0.number)" }.joined(separator: ", ")
        session.at(node).error(
            "what is redirected comes back to this route\(lines.isEmpty ? "" : " (through \(way))"): redirect to a path that "
                + "another route has"
        )
    }
}
