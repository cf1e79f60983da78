/// Reads paths that requests are held against.
enum PathReader {
    /// - Parameter name: The key that it is the value of.
    /// - Returns: nil where it is none, which was reported.
    static func read(_ node: DocumentNode, name: String, _ session: inout ReadingSession) -> PathPattern? {
        guard let scalar = node.scalar, !scalar.text.isEmpty else { return nil }
        do throws(PathPattern.Malformed) {
            return try PathPattern(scalar.text)
        } catch {
            session.findings.error(node.place, "\"\(name)\" is no path: \(error.reason(of: scalar))")
            return nil
        }
    }
}

extension PathPattern.Malformed {
    /// What is wrong, without what came from the environment.
    func reason(of scalar: DocumentNode.Scalar) -> String {
        scalar.variables.isEmpty ? description : "it begins with \"/\" and has whole segments only"
    }
}
