/// Reads `gateway.store` and `gateway.state_dir`.
enum StoreReader {
    private static let embedded = "embedded:"

    static func read(_ gateway: DocumentNode?, _ session: inout ReadingSession) -> StoreLocation {
        let standard = Schema.gateway.store.standard
        let usual = StoreLocation.embedded(path: session.resolve(String(standard.dropFirst(embedded.count))))
        guard let node = gateway?[Schema.gateway.store], let scalar = node.filled else { return usual }
        if scalar.text == "memory:" { return .memory }
        if scalar.text.hasPrefix(embedded), scalar.text.count > embedded.count {
            return readEmbedded(String(scalar.text.dropFirst(embedded.count)), node, &session)
        }
        if let scheme = RedisURL.Scheme.allCases.first(where: { scalar.text.hasPrefix($0.rawValue + "://") }) {
            return RedisReader.read(scalar, scheme, node.place, &session).map(StoreLocation.redis) ?? usual
        }
        session.findings.error(
            node.place,
            "\"store\" is none of memory:, embedded:FILE, redis://…, rediss://…, redis+sentinel://… and "
                + "rediss+sentinel://…: write \"\(standard)\""
        )
        return usual
    }

    private static func readEmbedded(
        _ file: String,
        _ node: DocumentNode,
        _ session: inout ReadingSession
    ) -> StoreLocation {
        let path = session.resolve(file)
        checkParent(of: path, name: "\"store\"", node, &session)
        return .embedded(path: path)
    }

    /// The directory itself need not be there: whoever writes to it makes it.
    static func readStateDirectory(_ gateway: DocumentNode?, _ session: inout ReadingSession) -> String? {
        guard let node = gateway?[Schema.gateway.stateDir] else {
            // Where systemd keeps directories for the service; several are separated by colons (systemd.exec(5)).
            let given = session.environment["STATE_DIRECTORY"]?.split(separator: ":").first
            return given.map(String.init)
        }
        guard let scalar = node.filled else { return nil }
        let path = session.resolve(scalar.text)
        do throws(FileReadingError) {
            _ = try session.files.list(path)
        } catch .notFound {
            checkParent(of: path, name: "\"state_dir\"", node, &session)
        } catch {
            session.findings.error(
                node.place,
                "\"state_dir\" cannot be used, \(scalar.shown): \(error)"
            )
        }
        return path
    }

    /// A mistyped path would otherwise be found out at the first write only, or start with an empty store.
    private static func checkParent(
        of path: String,
        name: String,
        _ node: DocumentNode,
        _ session: inout ReadingSession
    ) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        // The directory of tenants.yaml is there.
        guard directory + "/" != session.directory else { return }
        do throws(FileReadingError) {
            _ = try session.files.list(directory)
        } catch {
            let isFromEnvironment = !(node.scalar?.variables.isEmpty ?? true)
            let shown = isFromEnvironment ? "its directory" : "the directory \"\(directory)\""
            session.findings.error(node.place, "\(name) needs \(shown), \(error): make it, or name another")
        }
    }
}
