import ConfigurationText

/// Reads patterns that requests' paths are matched with.
enum PathReader {
    /// - Parameter fault: What messages call a malformed path.
    /// - Returns: nil if there is none, or if it is malformed, which was reported.
    static func read(
        _ key: Key<String?>,
        in section: DocumentNode,
        as fault: String = "no path",
        _ session: ReadingSession
    ) -> PathPattern? {
        guard let node = section[key], let scalar = node.filled else { return nil }
        do throws(PathPattern.Malformed) {
            return try PathPattern(scalar.text)
        } catch {
            return session.at(node).refuse("\"\(key.name)\" is \(fault): \(error.reason(of: scalar))")
        }
    }
}

extension PathPattern.Malformed {
    /// What is wrong with the path, without a value from the environment.
    func reason(of scalar: DocumentNode.Scalar, subject: String = "it") -> String {
        scalar.variables.isEmpty ? description : "\(subject) begins with \"/\" and has whole segments only"
    }
}
