public import ConfigurationText

/// The access rules of a tenant. The first rule that matches path and method decides; without a match a signed-in caller
/// is needed.
public struct AccessRules: Sendable, Equatable {
    public var rules: [AccessRule]

    public init(_ rules: [AccessRule]) {
        self.rules = rules
    }

    /// The index of the first rule that matches, or nil where the default (signed in) holds.
    ///
    /// - Parameters:
    ///   - method: As received; methods are case-sensitive (RFC 9110 section 9.1).
    ///   - path: Decoded once and free of dot segments.
    public func firstMatch(method: Span<UInt8>, path: Span<UInt8>) -> Int? {
        for index in rules.indices where rules[index].matches(method: method, path: path) {
            return index
        }
        return nil
    }
}

/// One line of `access`.
public struct AccessRule: Sendable, Equatable {
    public enum Allow: Sendable, Equatable {
        case anyone
        /// Any of `roles` (empty: any caller) and all of `scopes`.
        case signedIn(roles: [String], scopes: [String])
    }

    public var path: PathPattern
    public var methods: RequestMethods
    public var allow: Allow
    /// In observe mode the rule's refusals are noted, and the request goes on.
    public var mode: Tenant.Mode
    /// The line in tenants.yaml, for explanations.
    public var line: SourceLine

    /// - Parameter methods: Empty: every method.
    public init(
        path: PathPattern,
        methods: [String] = [],
        allow: Allow,
        mode: Tenant.Mode = .enforce,
        line: SourceLine = 0
    ) {
        self.path = path
        self.methods = RequestMethods(methods)
        self.allow = allow
        self.mode = mode
        self.line = line
    }

    /// Those of `earlier` that together match every request of this rule; nil if some requests reach it.
    package func covering(among earlier: [AccessRule]) -> [AccessRule]? {
        let covering = earlier.filter { $0.path.covers(path) }
        return methods.covering(among: covering.map(\.methods))?.map { covering[$0] }
    }

    func matches(method: Span<UInt8>, path: Span<UInt8>) -> Bool {
        methods.contains(method) && self.path.matches(path)
    }
}

extension Span where Element == UInt8 {
    func isEqual(to bytes: [UInt8]) -> Bool {
        guard count == bytes.count else { return false }
        for index in 0..<count where self[index] != bytes[index] {
            return false
        }
        return true
    }
}
