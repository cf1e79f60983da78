/// Reads paths that requests are held against.
enum PathReader {
    /// - Parameter fault: What messages say that it is.
    /// - Returns: nil where there is none, or it is no path, which was reported.
    static func read(
        _ key: Key<String?>,
        in section: DocumentNode,
        as fault: String = "no path",
        _ session: inout ReadingSession
    ) -> PathPattern? {
        guard let node = section[key], let scalar = node.filled else { return nil }
        do throws(PathPattern.Malformed) {
            return try PathPattern(scalar.text)
        } catch {
            return session.refuse(node.place, "\"\(key.name)\" is \(fault): \(error.reason(of: scalar))")
        }
    }
}

extension PathPattern.Malformed {
    /// What is wrong, without what came from the environment.
    func reason(of scalar: DocumentNode.Scalar) -> String {
        scalar.variables.isEmpty ? description : "it begins with \"/\" and has whole segments only"
    }
}
