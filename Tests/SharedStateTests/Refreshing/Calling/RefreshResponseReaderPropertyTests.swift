import Tenants
import TestSupport
import Testing
import Verification

@testable import SharedState

/// Random responses.
@Suite struct RefreshResponseReaderPropertyTests {
    private static let tokenCharacters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)

    private static func isAccessToken(_ text: [UInt8]) -> Bool {
        text.allSatisfy(tokenCharacters.contains)
            && text.split(separator: 0x2E, omittingEmptySubsequences: false).count == 3
    }

    private static func isRefreshToken(_ text: [UInt8]) -> Bool {
        !text.isEmpty && !text.contains { $0 <= 0x20 || $0 >= 0x7F }
    }

    private static func isCookieValue(_ text: [UInt8]) -> Bool {
        !text.contains { $0 <= 0x20 || $0 >= 0x7F || Array(#"",;\"#.utf8).contains($0) }
    }

    private func expectAllowedBytes(_ tokens: ReceivedTokens) {
        #expect(Self.isAccessToken(tokens.accessToken))
        #expect(tokens.refreshToken.map(Self.isRefreshToken) ?? true)
        #expect(tokens.cookies.allSatisfy { Self.isCookieValue($0.value) })
        #expect(tokens.cookies.allSatisfy { $0.expiresAt.map { (0...253_402_300_799).contains($0) } ?? true })
    }

    @Test func anyBytesGiveOnlyAllowedValues() throws {
        let rules = try SampleCalls.rules(
            cookies: [("access", "/access_token"), ("refresh", "/refresh_token"), ("more", "/more/0")]
        )
        let jwt = try SampleCalls.token(["exp": 2_000_000_900])
        let good = Array(
            #"{"access_token":"\#(jwt)","refresh_token":"a.b-c","expires_in":30,"refresh_expires_in":9e9,"more":["x"]}"#
                .utf8
        )
        var random = SplitMix64(seed: 0xca11)
        var taken = 0
        for _ in 0..<8_000 {
            let body: [UInt8]
            switch random.below(4) {
            case 0: body = (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            case 1: body = random.bytes(random.below(200), of: Array(#"{}[]":,\ untrefals0123456789.eE+-/"#.utf8))
            default: body = random.mutated(good)
            }
            let status = random.oneIn(4) ? random.below(700) : 200
            let result = RefreshResponseReader.result(
                RefreshHTTPResponse(status: status, body: body),
                rules,
                at: SampleCalls.now
            )
            guard let tokens = result.tokens else { continue }
            taken += 1
            #expect((200..<300).contains(status))
            expectAllowedBytes(tokens)
        }
        // Else the test has seen nothing but refusals.
        #expect(taken > 200)
    }

    // MARK: What the pointers lead to

    /// A document, and each place in it.
    private struct Document {
        var value: JSONValue
        var places: [(pointer: String, value: JSONValue)]
    }

    private static let texts = [
        "a.b.c", "eyJh.eyJz.c2ln", "..", "r", "opaque-token", "a;b", "a b", "é", "", "a.b", "x\"y", "\u{0}", "~/token",
    ]
    private static let names = ["access_token", "refresh_token", "a/b", "m~n", "", "0", "é", "~1"]

    private func document(_ random: inout SplitMix64, at pointer: String, depth: Int) -> Document {
        var places: [(pointer: String, value: JSONValue)] = []
        let value: JSONValue
        switch random.below(depth > 3 ? 6 : 10) {
        case 0: value = random.pick([nil, true, 7, -1, 300])
        case 1...5: value = .string(random.pick(Self.texts))
        case 6, 7:
            let elements = (0..<random.below(4)).map { document(&random, at: "\(pointer)/\($0)", depth: depth + 1) }
            value = .array(elements.map(\.value))
            places = elements.flatMap(\.places)
        default:
            var object = JSONObject()
            for name in Self.names where random.oneIn(2) {
                let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
                let member = document(&random, at: "\(pointer)/\(escaped)", depth: depth + 1)
                object[name] = member.value
                places += member.places
            }
            value = .object(object)
        }
        return Document(value: value, places: places + [(pointer, value)])
    }

    private func text(_ value: JSONValue) -> [UInt8]? { value.string.map { Array($0.utf8) } }

    @Test func tokensAreTheStringsAtThePointers() throws {
        var random = SplitMix64(seed: 0x6901)
        var taken = 0
        for _ in 0..<5_000 {
            let document = document(&random, at: "", depth: 0)
            let strings = document.places.filter { $0.value.string != nil }
            let access = random.pick(strings.isEmpty || random.oneIn(8) ? document.places : strings)
            let refresh = random.oneIn(4) ? ("/nowhere", nil) : random.pick(document.places)
            let cookies = (0..<random.below(3)).map { _ in random.oneIn(4) ? access : random.pick(document.places) }
            let rules = try SampleCalls.rules(
                accessToken: access.pointer,
                refreshToken: refresh.0,
                cookies: cookies.enumerated().map { ("c\($0)", $1.pointer) }
            )
            let body = JSONWriter.bytes(of: document.value)
            let result = RefreshResponseReader.result(RefreshHTTPResponse(status: 200, body: body), rules, at: 0)
            let given = cookies.enumerated().filter { $1.value != .null }
            let isGood =
                text(access.value).map(Self.isAccessToken) ?? false
                && (refresh.1 == .null || (text(refresh.1).map(Self.isRefreshToken) ?? false))
                && given.allSatisfy { text($1.value).map(Self.isCookieValue) ?? false }
            guard isGood else {
                #expect(result.trouble == .garbledAnswer)
                continue
            }
            taken += 1
            let tokens = try #require(result.tokens)
            #expect(tokens.accessToken == text(access.value))
            #expect(tokens.refreshToken == text(refresh.1))
            #expect(tokens.cookies.map(\.name) == given.map { "c\($0.offset)" })
            #expect(tokens.cookies.map(\.value) == given.map { text($0.element.value) })
        }
        #expect(taken > 200)
    }
}
