import Tenants

/// Which paths a rule of another proxy is about. They are compared as texts there, without their query.
package enum PathMatcher: Sendable, Equatable {
    case exact(String)
    /// Every path that begins with this text, also in the middle of a segment.
    case prefix(String)
    /// The path itself and all below it.
    case below(String)
    /// What a pattern of `access` matches, and nothing else.
    case pattern(String)
    /// Paths that only the other proxy can tell, as written there.
    case untold(String)

    package static let all = PathMatcher.prefix("/")

    package func matches(_ path: String) -> Bool? {
        switch self {
        case .exact(let text): return path == text
        case .prefix(let text): return path.hasPrefix(text)
        case .below(let text): return path == text || path.hasPrefix(text + "/") || text == "/"
        case .pattern(let text):
            guard let pattern = try? PathPattern(text) else { return nil }
            return pattern.matches(Array(path.utf8).span)
        case .untold: return nil
        }
    }

    /// The pattern of `access` that comes nearest, and what of the paths it has too many or too few.
    package var nearest: (pattern: String, fit: Fit)? {
        switch self {
        case .exact(let text): return Self.literal(text).map { ($0, .exact) }
        case .below("/"), .prefix("/"), .prefix(""): return ("/**", .exact)
        case .below(let text): return Self.literal(text + "/**", literal: text).map { ($0, .exact) }
        case .prefix(let text) where text.hasSuffix("/"):
            let parent = String(text.dropLast())
            return Self.literal(parent + "/**", literal: parent).map { ($0, .wider(by: parent)) }
        case .prefix(let text): return Self.literal(text + "/**", literal: text).map { ($0, .narrower) }
        case .pattern(let text): return (try? PathPattern(text)) == nil ? nil : (text, .exact)
        case .untold: return nil
        }
    }

    package enum Fit: Sendable, Equatable {
        case exact
        /// The pattern has one path more.
        case wider(by: String)
        /// The pattern lacks some paths.
        case narrower
    }

    /// - Returns: nil if `literal` cannot be written in a pattern.
    private static func literal(_ pattern: String, literal: String? = nil) -> String? {
        let text = literal ?? pattern
        guard text.utf8.first == UInt8(ascii: "/"), !text.contains("*"), !text.contains("\\"),
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f }), (try? PathPattern(pattern)) != nil
        else { return nil }
        return pattern
    }

    // MARK: Two of them

    /// Whether some path may be one of both.
    package func mayOverlap(_ other: PathMatcher) -> Bool {
        switch (self, other) {
        case (.exact(let path), _): other.matches(path) ?? true
        case (_, .exact(let path)): matches(path) ?? true
        default: stem.hasPrefix(other.stem) || other.stem.hasPrefix(stem)
        }
    }

    /// The text that all its paths begin with.
    private var stem: String {
        switch self {
        case .exact(let text), .prefix(let text): text
        case .below(let text): text == "/" ? "" : text
        case .pattern(let text): String(text.prefix { $0 != "*" })
        case .untold: ""
        }
    }

    /// The paths of both; nil if there are none.
    package func intersection(_ other: PathMatcher) -> PathMatcher? {
        guard mayOverlap(other) else { return nil }
        if covers(other) { return other }
        if other.covers(self) { return self }
        if case .exact = self { return self }
        if case .exact = other { return other }
        return .untold("\(shown) and \(other.shown)")
    }

    /// Whether all paths of `other` are surely this one's.
    package func covers(_ other: PathMatcher) -> Bool {
        if self == other || self == .all || self == .below("/") { return true }
        switch (self, other) {
        case (_, .exact(let path)): return matches(path) ?? false
        case (.prefix(let text), .prefix(let longer)), (.prefix(let text), .below(let longer)):
            return longer.hasPrefix(text)
        case (.below(let text), .prefix(let longer)): return longer.hasPrefix(text + "/")
        case (.below(let text), .below(let longer)): return longer.hasPrefix(text + "/")
        default: return false
        }
    }

    package var shown: String {
        switch self {
        case .exact(let text): text
        case .prefix(let text): "\(text)…"
        case .below(let text): text == "/" ? "/**" : "\(text)/**"
        case .pattern(let text), .untold(let text): text
        }
    }
}
