/// The methods that a rule or a route is for.
public struct RequestMethods: Sendable, Equatable {
    /// Empty: every method.
    public let names: [String]
    private let bytes: [[UInt8]]

    public init(_ names: [String]) {
        self.names = names
        // What is for GET is for HEAD too (RFC 9110 section 9.3.2).
        let all = names.contains("GET") && !names.contains("HEAD") ? names + ["HEAD"] : names
        bytes = all.map { Array($0.utf8) }
    }

    /// - Parameter method: As received; methods are case-sensitive (RFC 9110 section 9.1).
    @inline(__always)
    public func contains(_ method: Span<UInt8>) -> Bool {
        bytes.isEmpty || bytes.contains { method.isEqual(to: $0) }
    }

    /// The indices of those of `others` that together have every one of these methods; nil if some are left.
    func covering(among others: [RequestMethods]) -> [Int]? {
        if let whole = others.firstIndex(where: \.names.isEmpty) { return [whole] }
        guard !names.isEmpty else { return nil }
        var found: [Int] = []
        for name in names {
            guard let first = others.firstIndex(where: { $0.names.contains(name) }) else { return nil }
            found.append(first)
        }
        return found
    }
}
