import ConfigurationText

/// Reads `gateway.store` and `gateway.state_dir`.
enum StoreReader {
    private static let embedded = "embedded:"

    static func read(_ gateway: DocumentNode?, _ session: ReadingSession) -> StoreLocation {
        let defaultText = Schema.gateway.store.default
        let defaultFile = String(defaultText.dropFirst(embedded.count))
        let defaultLocation = StoreLocation.embedded(path: session.resolve(defaultFile))
        guard let node = gateway?[Schema.gateway.store], let scalar = node.filled else { return defaultLocation }
        if scalar.text == "memory:" { return .memory }
        if scalar.text.hasPrefix(embedded), scalar.text.count > embedded.count {
            return readEmbedded(String(scalar.text.dropFirst(embedded.count)), node, session)
        }
        if let scheme = RedisURL.Scheme.allCases.first(where: { scalar.text.hasPrefix($0.rawValue + "://") }) {
            return RedisReader.read(scalar, scheme, node.position, session).map(StoreLocation.redis) ?? defaultLocation
        }
        session.at(node).error(
            "\"store\" is none of memory:, embedded:FILE, redis://…, rediss://…, redis+sentinel://… and "
                + "rediss+sentinel://…: write \"\(defaultText)\""
        )
        return defaultLocation
    }

    private static func readEmbedded(_ file: String, _ node: DocumentNode, _ session: ReadingSession) -> StoreLocation {
        let path = session.resolve(file)
        checkParent(of: path, name: "\"store\"", node, session)
        return .embedded(path: path)
    }

    /// The directory itself need not exist: it is made at the first write.
    static func readStateDirectory(_ gateway: DocumentNode?, _ session: ReadingSession) -> String? {
        guard let node = gateway?[Schema.gateway.stateDir] else {
            // The service's state directories, separated by colons (systemd.exec(5)).
            let given = session.environment["STATE_DIRECTORY"]?.split(separator: ":").first
            return given.map(String.init)
        }
        guard let scalar = node.filled else { return nil }
        let path = session.resolve(scalar.text)
        do throws(FileReadingError) {
            _ = try session.files.list(path)
        } catch .notFound {
            checkParent(of: path, name: "\"state_dir\"", node, session)
        } catch {
            session.at(node).error("\"state_dir\" cannot be used, \(scalar.shown): \(error)")
        }
        return path
    }

    /// Reports a mistyped path now, instead of a failing first write or an empty store later.
    private static func checkParent(of path: String, name: String, _ node: DocumentNode, _ session: ReadingSession) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        // The directory of tenants.yaml exists.
        guard directory + "/" != session.directory else { return }
        do throws(FileReadingError) {
            _ = try session.files.list(directory)
        } catch {
            let isFromEnvironment = !(node.scalar?.variables.isEmpty ?? true)
            let shown = isFromEnvironment ? "its directory" : "the directory \"\(directory)\""
            session.at(node).error("\(name) needs \(shown), \(error): make it, or name another")
        }
    }
}
