/// Reads the paths of `sign_in` at which sessions begin, are renewed and end.
enum SignInPathsReader {
    private static let keys = [
        (section: "apple", keys: ["path", "notifications"]),
        (section: "google", keys: ["path"]),
        (section: "web", keys: ["login", "callback"]),
        (section: "endpoints", keys: ["refresh", "validate", "me", "logout"]),
    ]

    static func read(_ node: DocumentNode, _ session: inout ReadingSession) -> [PathPattern] {
        var paths: [PathPattern] = []
        for (section, keys) in keys {
            for key in keys {
                guard let value = node[section]?[key], let path = path(value, name: key, &session) else { continue }
                if !paths.contains(path) { paths.append(path) }
            }
        }
        return paths
    }

    private static func path(
        _ node: DocumentNode,
        name: String,
        _ session: inout ReadingSession
    ) -> PathPattern? {
        guard node.scalar?.text.contains("*") != true else {
            session.findings.error(node.place, "\"\(name)\" is one path, and \"*\" stands for many: write it out")
            return nil
        }
        return PathReader.read(node, name: name, &session)
    }
}
