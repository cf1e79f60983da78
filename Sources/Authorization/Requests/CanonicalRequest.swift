package import HTTPCore

/// A received request whose target was read, with its path in the one form that rules are matched on and that is
/// forwarded. Only ``RequestRouter`` makes one.
package struct CanonicalRequest {
    package let received: ReceivedRequest
    package let target: RequestTarget
    package let path: Path

    package enum Path: Equatable {
        /// The path in the head is canonical.
        case asReceived
        /// In ``ReceivedRequest/path``.
        case rewritten
        /// `/` for an absolute target without a path, `*` for the asterisk form.
        case literal(StaticPath)
        /// Observe mode only: not canonical, forwarded byte for byte, matched by no rule.
        case ambiguous
    }

    package enum StaticPath: Equatable {
        case root
        case asterisk
    }

    /// For ``RequestRouter`` alone.
    init(_ received: ReceivedRequest, target: RequestTarget, path: Path) {
        self.received = received
        self.target = target
        self.path = path
    }

    package var head: RequestHead { received.head }

    /// The path with its slashes merged and its parameters dropped, as a backend may read it; nil if that is the same.
    var reducedPath: [UInt8]? { path == .rewritten ? received.path.reduced : nil }

    /// Further readings, of backends that do only one of the two.
    var partlyReducedPaths: [[UInt8]] { path == .rewritten ? received.path.partlyReduced : [] }

    /// The path that rules are matched on.
    func withMatchedPath<Result>(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
        switch path {
        case .asReceived, .ambiguous: body(bytes.extracting(target.path))
        case .rewritten: Self.with(received.path.decoded, body)
        case .literal(.root): Self.with(Self.root, body)
        case .literal(.asterisk): Self.with(Self.asterisk, body)
        }
    }

    /// Whether the canonical path passes the test, or any reading of a backend that merges slashes, drops parameters or
    /// both.
    package func inAnyReading(_ bytes: Span<UInt8>, _ test: (Span<UInt8>) -> Bool) -> Bool {
        if withMatchedPath(bytes, test) { return true }
        guard let reduced = reducedPath else { return false }
        return test(reduced.span) || partlyReducedPaths.contains { test($0.span) }
    }

    /// The path that the backend gets, before a prefix is stripped.
    package func withForwardedPath<Result>(_ bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
        path == .rewritten ? Self.with(received.path.forwarded, body) : withMatchedPath(bytes, body)
    }

    package static let root: [UInt8] = [UInt8(ascii: "/")]
    private static let asterisk: [UInt8] = [UInt8(ascii: "*")]

    private static func with<Result>(_ bytes: [UInt8], _ body: (Span<UInt8>) -> Result) -> Result {
        body(bytes.span)
    }
}
