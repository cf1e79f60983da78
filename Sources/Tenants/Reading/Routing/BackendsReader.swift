import ConfigurationText

/// Reads `backend` and `backends`.
enum BackendsReader {
    /// - Returns: In the order of the file; empty if there are none.
    static func read(_ tenant: DocumentNode, _ session: ReadingSession) -> [Backend] {
        var backends: [Backend] = []
        if let node = tenant[Schema.tenant.backend] { backends.append(BackendReader.read(node, session)) }
        for entry in tenant[Schema.tenant.backends]?.entries ?? [] {
            checkName(entry, tenant, session)
            var backend = BackendReader.read(entry.value, session)
            backend.name = entry.key
            backends.append(backend)
        }
        return backends
    }

    private static func checkName(_ entry: DocumentNode.Entry, _ tenant: DocumentNode, _ session: ReadingSession) {
        if entry.key == Backend.defaultName, let short = tenant.entry(Schema.tenant.backend) {
            session.at(entry).error(
                "\"backend\" in line \(short.keyPosition.line) is the backend \"default\" already: keep one of them"
            )
        }
        let isPlain = entry.key.utf8.allSatisfy { $0.isLetterDigit(or: "-_") }
        if !isPlain || !(1...63).contains(entry.key.utf8.count) {
            session.at(entry).error("a backend's name has 1 to 63 letters, digits, \"-\" and \"_\": rename it")
        }
    }
}
