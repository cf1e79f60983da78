import ConfigurationText

/// The paths of a tenant's endpoints, each used once.
struct EndpointPaths {
    private struct Taken {
        var path: String
        var key: String
        var position: Position
    }

    /// The prefix of the tenant's paths.
    let pathPrefix: String?
    /// The tenant's own; nil if there is none, or if it cannot be read.
    let issuer: BuiltInIssuer?

    private var patterns: [PathPattern] = []
    private var taken: [Taken] = []

    init(pathPrefix: String?, issuer: BuiltInIssuer?) {
        self.pathPrefix = pathPrefix
        self.issuer = issuer
    }

    /// The paths that were read, in that order, and then the issuer's.
    var all: [PathPattern] {
        let own = (issuer?.paths ?? []).compactMap { try? PathPattern($0) }
        return patterns + own.filter { !patterns.contains($0) }
    }

    /// - Parameter isAppleExchange: Whether it may be the issuer's path for the exchange of Apple's tokens.
    /// - Returns: nil if there is none, or if it cannot be used, which was reported.
    mutating func read(
        _ key: Key<String?>,
        in section: DocumentNode,
        isAppleExchange: Bool = false,
        _ session: ReadingSession
    ) -> PathPattern? {
        guard let node = section[key] else { return nil }
        guard node.scalar?.text.contains("*") != true else {
            return session.at(node).refuse("\"\(key.name)\" is one path, and \"*\" stands for many: write it out")
        }
        guard let pattern = PathReader.read(key, in: section, session) else { return nil }
        if let problem = problem(pattern.description, isAppleExchange: isAppleExchange, node, session) {
            return session.at(node).refuse("\"\(key.name)\" \(problem)")
        }
        taken.append(Taken(path: Self.folded(pattern.description), key: key.name, position: node.position))
        patterns.append(pattern)
        return pattern
    }

    /// Reads a path of which only some methods are the gateway's: for refreshes it stays the backend's.
    ///
    /// - Parameter node: Where it is written, maybe with a method before it.
    /// - Returns: nil if it cannot be used, which was reported.
    mutating func read(
        _ path: String,
        _ key: Key<String?>,
        at node: DocumentNode,
        _ session: ReadingSession
    ) -> PathPattern? {
        guard !path.contains("*") else {
            return session.at(node).refuse("\"\(key.name)\" is one path, and \"*\" stands for many: write it out")
        }
        let pattern: PathPattern
        do throws(PathPattern.Malformed) {
            pattern = try PathPattern(path)
        } catch {
            let reason = node.filled.map { error.reason(of: $0) } ?? error.description
            return session.at(node).refuse("\"\(key.name)\" is no path: \(reason)")
        }
        if let problem = problem(path, isAppleExchange: false, node, session) {
            return session.at(node).refuse("\"\(key.name)\" \(problem)")
        }
        taken.append(Taken(path: Self.folded(path), key: key.name, position: node.position))
        return pattern
    }

    /// Takes a path that is not written out, like that where a provider of `providers` returns to.
    mutating func take(_ path: String, by key: String, at position: Position, _ session: ReadingSession) {
        guard let pattern = try? PathPattern(path) else { return }
        let folded = Self.folded(path)
        if let first = taken.first(where: { $0.path.utf8.elementsEqual(folded.utf8) }) {
            let place = session.place(of: first.position, from: position)
            session.at(position).error(
                "\"\(path)\", where the provider returns to, is the path of \"\(first.key)\" in \(place): choose another one "
                    + "there"
            )
        }
        taken.append(Taken(path: folded, key: key, position: position))
        patterns.append(pattern)
    }

    /// Adds a path that a key implies: one below the key's own.
    mutating func add(_ path: String, of node: DocumentNode, key: Key<String?>, _ session: ReadingSession) {
        guard let pattern = try? PathPattern(path) else { return }
        if let problem = problem(path, isAppleExchange: false, node, session) {
            return session.at(node).error("\"\(key.name)\" needs \"\(path)\" too, which \(problem)")
        }
        taken.append(Taken(path: Self.folded(path), key: key.name, position: node.position))
        patterns.append(pattern)
    }

    private func problem(
        _ path: String,
        isAppleExchange: Bool,
        _ node: DocumentNode,
        _ session: ReadingSession
    ) -> String? {
        if Self.isReserved(path) { return "is below \"/.gatehouse\", which is the gateway's own: choose another path" }
        if let pathPrefix, !Self.isAt(pathPrefix, orBelow: path) {
            return "is not below \"path_prefix\", so that no request reaches it: begin it with that"
        }
        let folded = Self.folded(path)
        if let first = taken.first(where: { $0.path.utf8.elementsEqual(folded.utf8) }) {
            let place = session.place(of: first.position, from: node.position)
            return "is the same path as \"\(first.key)\" in \(place): give each a path of its own"
        }
        let fixed = issuer?.paths.first { Self.folded($0).utf8.elementsEqual(folded.utf8) }
        guard let issuer, let fixed else { return nil }
        if isAppleExchange, fixed.utf8.elementsEqual((issuer.basePath + IssuerPath.appleExchange.rawValue).utf8) {
            return nil
        }
        return "is where the tenant's own issuer answers: choose another path, or another \"base_path\" there"
    }

    /// Whether it is below `/.gatehouse`, which belongs to the gateway on every tenant.
    static func isReserved(_ path: String) -> Bool {
        isAt("/.gatehouse", orBelow: folded(path))
    }

    static func isAt(_ prefix: String, orBelow path: String) -> Bool {
        path.utf8.starts(with: prefix.utf8)
            && (path.utf8.count == prefix.utf8.count
                || path.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: "/"))
    }

    /// Without a trailing slash and in lower case: many backends take such paths for the same.
    private static func folded(_ path: String) -> String {
        let path = path.lowercased()
        return path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }
}

extension BuiltInIssuer {
    /// The paths of its endpoints on the tenant's host.
    var paths: [String] { IssuerPath.allCases.map { basePath + $0.rawValue } }
}
