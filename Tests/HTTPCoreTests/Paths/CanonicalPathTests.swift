import TestSupport
import Testing

@testable import HTTPCore

/// What a path was read as, as a value.
enum PathReading: Equatable {
    case asReceived
    case rewritten(forwarded: String, decoded: String, reduced: String?)
    case ambiguous

    static func read(_ bytes: [UInt8], _ canonical: inout CanonicalPath) -> PathReading {
        switch canonical.read(bytes.span) {
        case .asReceived: .asReceived
        case .ambiguous: .ambiguous
        case .rewritten:
            .rewritten(
                forwarded: String(decoding: canonical.forwarded, as: UTF8.self),
                decoded: String(decoding: canonical.decoded, as: UTF8.self),
                reduced: canonical.reduced.map { String(decoding: $0, as: UTF8.self) }
            )
        }
    }

    static func read(_ text: String) -> PathReading {
        var canonical = CanonicalPath()
        return read(Array(text.utf8), &canonical)
    }
}

struct CanonicalPathTests {
    @Test(arguments: ["/", "/a", "/a/b/", "/a.b/c..d", "/a/b.", "/a@b:c,d=e+f!$&'()*~-_"])
    func plainPathIsUsedInPlace(path: String) {
        #expect(PathReading.read(path) == .asReceived)
    }

    struct Rewrite: Sendable {
        var path: String
        var forwarded: String
        var decoded: String
        var reduced: String?

        init(_ path: String, _ forwarded: String, _ decoded: String? = nil, reduced: String? = nil) {
            self.path = path
            self.forwarded = forwarded
            self.decoded = decoded ?? forwarded
            self.reduced = reduced
        }
    }

    @Test(arguments: [
        Rewrite("/%61dmin", "/admin"), Rewrite("/%41%7e%2D%5f%2e9", "/A~-_.9"), Rewrite("/a%20b", "/a%20b", "/a b"),
        Rewrite("/%C3%A9", "/%C3%A9", "/\u{e9}"), Rewrite("/%e2%82%ac", "/%e2%82%ac", "/\u{20ac}"),
        Rewrite("/a%3Fb%23", "/a%3Fb%23", "/a?b#"), Rewrite("/100%25", "/100%25", "/100%"),
        Rewrite("/%25zz", "/%25zz", "/%zz"), Rewrite("/a%25", "/a%25", "/a%"), Rewrite("/a/./b", "/a/b"),
        Rewrite("/a/../b", "/b"), Rewrite("/a/b/..", "/a/"), Rewrite("/a/.", "/a/"), Rewrite("/.", "/"),
        Rewrite("/./", "/"), Rewrite("/a/..", "/"), Rewrite("/a/../", "/"), Rewrite("/a/%2e%2e/b", "/b"),
        Rewrite("/a/.%2E/b", "/b"), Rewrite("/a/%2e/b", "/a/b"), Rewrite("/./..a", "/..a"),
        Rewrite("/a/b/c/../../d", "/a/d"), Rewrite("/...", "/..."), Rewrite("/.hidden", "/.hidden"),
        Rewrite("/a/b/.", "/a/b/"), Rewrite("/a/b/c/./../../g", "/a/g"), Rewrite("/mid/content=5/../6", "/mid/6"),
        Rewrite("/a%3ab", "/a%3ab", "/a:b"), Rewrite("///a", "/a"), Rewrite("/.//a", "/a"), Rewrite("/a/..//b", "/b"),
        Rewrite("/%2e//host/a", "/host/a"), Rewrite("/.//", "/"), Rewrite("//a", "/a"), Rewrite("///", "/"),
        Rewrite("//", "/"), Rewrite("//a/b", "/a/b"), Rewrite("/a//b", "/a//b", reduced: "/a/b"),
        Rewrite("/a//", "/a//", reduced: "/a/"), Rewrite("/a;x=1/b", "/a;x=1/b", reduced: "/a/b"),
        Rewrite("/a;", "/a;", reduced: "/a"), Rewrite("/;x/b", "/;x/b", reduced: "/b"),
        Rewrite("/a;b/./c", "/a;b/c", reduced: "/a/c"), Rewrite("/a/;/b", "/a/;/b", reduced: "/a/b"),
        Rewrite("/a;%2e%2e/b", "/a;../b", reduced: "/a/b"),
    ])
    func pathIsRewrittenToCanonicalForm(rewrite: Rewrite) {
        #expect(
            PathReading.read(rewrite.path)
                == .rewritten(forwarded: rewrite.forwarded, decoded: rewrite.decoded, reduced: rewrite.reduced)
        )
    }

    @Test(arguments: [
        "/a%2fb", "/a%2Fb", "/a%5cb", "/a%5Cb", "/a\\b", "/a%00", "/a%00b", "/%3bx", "/a%3Bb", "/%", "/%4", "/%zz",
        "/a%g0", "/a%0g", "/..", "/../", "/a/../../b", "/%2e%2e/a", "/../a", "/.;/a", "/..;/a", "/a/..;x/b",
        "/a/%2e%2e;/b", "/a/.;x", "/a//../b", "/a;x/../b", "/;/../b", "/%ff", "/%c3", "/%c0%af", "/%ed%a0%80",
        "/%f4%90%80%80", "/%e2%82", "/%80", "/%252f", "/%2561", "/a%252e%252e/b", "/%25%32%66", "/%25%32f", "/%252%66",
        "/a%2", "/%c3/%a9", "/%2f", "/a/..\\b", "/%00", "/a/..;/b", "/a/..;x=1/b", "/a/.;/b", "/a%80",
        "/%c0%ae%c0%ae/b", "/%f5%80%80%80", "/a/b/../../../c", "/./..", "/%u0041", "/%%32%65", "/a/b//../../c",
        "/%252e%252e/a", "/a%252fb", "/%2541", "/%255c", "/a%25%32%66b",
    ])
    func pathWithSeveralReadingsIsAmbiguous(path: String) {
        #expect(PathReading.read(path) == .ambiguous)
    }

    @Test func reusedPathKeepsNothing() {
        var canonical = CanonicalPath()
        #expect(PathReading.read(Array("/a;b//c/%20/long/path".utf8), &canonical) != .asReceived)
        #expect(
            PathReading.read(Array("/%61".utf8), &canonical) == .rewritten(forwarded: "/a", decoded: "/a", reduced: nil)
        )
    }

    @Test(arguments: [
        ("/a//b;c/d", ["/a/b;c/d", "/a//b/d"]), ("/a//;x/c", ["/a/;x/c", "/a///c"]), ("/a//b", []), ("/a;x/b", []),
        ("/%61", []),
    ])
    func partlyReducedReadingsAreGivenIfDifferent(path: String, expected: [String]) {
        var canonical = CanonicalPath()
        #expect(canonical.read(Array("/x//y;z".utf8).span) == .rewritten)
        #expect(canonical.read(Array(path.utf8).span) == .rewritten)
        #expect(canonical.partlyReduced.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    // MARK: Properties

    private static let parts = [
        "/", "/", "//", ".", "..", "%", "%2e", "%2E", "%2f", "%5c", "%25", "%00", "%3b", ";", "\\", "%c3%a9", "%61",
        "%32", "%66", "%35", "%20", "%ff", "2", "e", "f", "5", "c", "a", "b", "A", "+", "@",
    ].map { Array($0.utf8) }

    private func randomPath(_ random: inout SplitMix64) -> [UInt8] {
        (0..<random.below(12)).reduce(into: [UInt8(ascii: "/")]) { path, _ in path += random.pick(Self.parts) }
    }

    /// Percent-decodes once, by another way than the code does.
    private func decodedOnce(_ bytes: [UInt8]) -> [UInt8] {
        var parts = String(decoding: bytes, as: UTF8.self).split(separator: "%", omittingEmptySubsequences: false)
        var result = Array(parts.removeFirst().utf8)
        for part in parts {
            result += [UInt8(part.prefix(2), radix: 16) ?? 0] + Array(part.dropFirst(2).utf8)
        }
        return result
    }

    @Test func forwardedPathIsCanonicalAndMatchesRules() {
        var random = SplitMix64(seed: 40)
        var canonical = CanonicalPath()
        var again = CanonicalPath()
        var rewrites = 0
        for _ in 0..<60_000 {
            let path = randomPath(&random)
            let outcome = canonical.read(path.span)
            guard outcome == .rewritten else { continue }
            rewrites += 1
            let text = String(decoding: path, as: UTF8.self)
            let forwarded = String(decoding: canonical.forwarded, as: UTF8.self)
            let segments = forwarded.split(separator: "/").map { $0.prefix { $0 != ";" } }
            let lowered = forwarded.lowercased()
            let forbidden = ["\\", "%2f", "%5c", "%00", "%3b", "%252f", "%2e"]
            let isClean =
                !segments.contains(".") && !segments.contains("..") && !forbidden.contains { lowered.contains($0) }
            let isDecodedAlike = decodedOnce(canonical.forwarded) == canonical.decoded
            let second = again.read(canonical.forwarded.span)
            let isStable = second == .asReceived || second == .rewritten && again.forwarded == canonical.forwarded
            guard isClean, isDecodedAlike, isStable, !forwarded.hasPrefix("//") else {
                Issue.record("\(text) is forwarded as \(forwarded), which is read again as \(second)")
                return
            }
        }
        #expect(rewrites > 5000)
    }

    @Test func plainPathsAreExactlyThoseAsReceived() {
        var random = SplitMix64(seed: 41)
        var canonical = CanonicalPath()
        for _ in 0..<60_000 {
            let path = randomPath(&random)
            let isPlain = CanonicalPath.isPlain(path.span)
            let isAsReceived = canonical.read(path.span) == .asReceived
            #expect(isPlain == isAsReceived)
            guard isPlain else { continue }
            let text = String(decoding: path, as: UTF8.self)
            #expect(!text.contains("%") && !text.contains("//") && !text.contains("/.") && !text.contains(";"))
        }
    }

    @Test func reducedReadingHasNoEmptySegmentsOrParameters() {
        var random = SplitMix64(seed: 42)
        var canonical = CanonicalPath()
        for _ in 0..<60_000 {
            let path = randomPath(&random)
            guard canonical.read(path.span) == .rewritten else { continue }
            let decoded = String(decoding: canonical.decoded, as: UTF8.self)
            guard let reduced = canonical.reduced.map({ String(decoding: $0, as: UTF8.self) }) else {
                #expect(!decoded.contains("//") && !decoded.contains(";"))
                continue
            }
            #expect(!reduced.contains("//") && !reduced.contains(";") && reduced.hasPrefix("/"))
        }
    }
}
