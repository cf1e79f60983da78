import TestSupport
import Testing

@testable import Tenants

/// The order of app versions, and what is no version.
struct AppVersionTests {
    @Test(arguments: [
        "5", "5.2", "5.2.0", "5.2.0.17", "05.002", "5.2.0-beta", "5.2.0-beta.1+7", "5.2.0+17", "999999999.0",
    ]) func versionIsRead(text: String) {
        #expect(AppVersion(text) != nil)
    }

    @Test(arguments: [
        "", ".", "5.", ".5", "5..2", "v5", "5.2.0.1.2", "5.2 (17)", "5,2", "-1", "5.2-", "5.2+", "5.2-a b",
        "1000000000",
        "5.2.\u{661}", " 5", "5 ", "5.x", String(repeating: "1.", count: 40), "1-" + String(repeating: "a", count: 63),
    ]) func otherTextIsNoVersion(text: String) {
        #expect(AppVersion(text) == nil)
    }

    @Test func numbersThatAreNotThereAreZero() throws {
        #expect(AppVersion("5") == AppVersion("5.0.0.0"))
        #expect(AppVersion("5.2.0+1") == AppVersion("5.2+2"))
        #expect(try #require(AppVersion("5.2.0")).description == "5.2.0")
        #expect(try #require(AppVersion("5.2-rc.1")).description == "5.2")
    }

    @Test func versionBeforeReleaseIsOlderThanIt() throws {
        let ordered = ["1.9.9", "5.2.0-beta", "5.2.0", "5.2.1-rc", "5.2.1", "5.10.0", "10", "10.0.0.1"]
        let versions = try ordered.map { try #require(AppVersion($0)) }
        for (index, version) in versions.enumerated() {
            for (other, further) in versions.enumerated() { #expect((version < further) == (index < other)) }
        }
    }

    /// A naive reading: numbers as an array, the shorter one filled up.
    private struct Model {
        var numbers: [Int]
        var isPrerelease: Bool

        func isOlder(than other: Model) -> Bool {
            let left = numbers + Array(repeating: 0, count: 4 - numbers.count)
            let right = other.numbers + Array(repeating: 0, count: 4 - other.numbers.count)
            if left != right { return left.lexicographicallyPrecedes(right) }
            return isPrerelease && !other.isPrerelease
        }

        var text: String {
            numbers.map(String.init).joined(separator: ".") + (isPrerelease ? "-b" : "")
        }
    }

    @Test func orderIsThatOfNumbers() throws {
        var random = SplitMix64(seed: 426)
        func model() -> Model {
            let count = Int.random(in: 1...4, using: &random)
            let numbers = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? Int.random(in: 0...3, using: &random) : Int.random(in: 0...999_999_999, using: &random)
            }
            return Model(numbers: numbers, isPrerelease: Int.random(in: 0..<4, using: &random) == 0)
        }
        for _ in 0..<4000 {
            let (one, other) = (model(), model())
            let left = try #require(AppVersion(one.text))
            let right = try #require(AppVersion(other.text))
            #expect((left < right) == one.isOlder(than: other), "\(one.text) \(other.text)")
            #expect((left == right) == (!one.isOlder(than: other) && !other.isOlder(than: one)))
        }
    }

    @Test func randomBytesNeverTrap() {
        var random = SplitMix64(seed: 15_5_22)
        let alphabet = Array("0123456789.-+ab /".utf8)
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...70, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            guard let version = AppVersion(text.span) else { continue }
            #expect(text.count <= AppVersion.maximumLength)
            #expect(AppVersion(version.description).map { $0 >= version } == true)
        }
    }
}
