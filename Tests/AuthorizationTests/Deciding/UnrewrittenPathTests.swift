import HTTPCore
import TestSupport
import Testing

@testable import Authorization

/// Paths that the gateway must refuse if another proxy forwards them.
@Suite struct UnrewrittenPathTests {
    private static func isUnsafe(_ path: String) -> Bool { UnrewrittenPath.isUnsafe(Array(path.utf8).span) }

    @Test func dotSegmentsAndSlashesAtTheStartAreUnsafe() {
        for path in [
            "//", "//a", "/.", "/..", "/./", "/a/.", "/a/./b", "/a/..", "/admin/../open/x", "/a/%2e/b", "/a/%2E%2e/b",
            "/a/.%2e", "/%2e%2E", "/a//../b",
        ] {
            #expect(Self.isUnsafe(path), "\(path)")
        }
    }

    @Test func otherPathsAreSafe() {
        for path in [
            "/", "/a", "/a/", "/a//b", "/...", "/a/...", "/a.b", "/.a", "/a/.well-known/x", "/a./b", "/%61", "/a/%2f",
            "/a;v=1", "/a/%2", "/a/%2ex", "/a/..b", "/a/%2e%2e%2e",
        ] {
            #expect(!Self.isUnsafe(path), "\(path)")
        }
    }

    /// Whatever resolving would change about the segments is among them.
    @Test func safePathKeepsItsSegments() {
        var random = SplitMix64(seed: 11)
        var safe = 0
        for _ in 0..<5000 {
            let pieces = ["/", ".", "..", "a", "%2e", "%2E", "%61", "//", "b.c"]
            let length = Int.random(in: 1..<6, using: &random)
            let path = "/" + (0..<length).map { _ in pieces.randomElement(using: &random) ?? "/" }.joined()
            var canonical = CanonicalPath()
            let outcome = canonical.read(Array(path.utf8).span)
            guard !Self.isUnsafe(path) else { continue }
            safe += 1
            guard outcome == .rewritten else { continue }
            let slash = UInt8(ascii: "/")
            #expect(canonical.forwarded.count { $0 == slash } == path.utf8.count { $0 == slash }, "\(path)")
        }
        #expect(safe > 500)
    }
}
