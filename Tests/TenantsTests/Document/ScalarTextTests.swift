import TestSupport
import Testing
import Verification

@testable import ConfigurationText
@testable import Tenants

struct ScalarTextTests {
    @Test func durationIsItsNumberTimesItsUnit() throws {
        let units: [(String, Int)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)]
        var random = SplitMix64(seed: 1)
        for _ in 0..<500 {
            let count = Int.random(in: 0...100_000, using: &random)
            for (unit, milliseconds) in units {
                let duration = try ScalarText.duration("\(count)\(unit)")
                #expect(duration == .milliseconds(count * milliseconds))
                // What is shown in messages is read as the same duration.
                #expect(try ScalarText.duration(duration.shown) == duration)
            }
        }
    }

    @Test func sizeIsItsNumberTimesItsUnit() throws {
        let units: [(String, Int)] = [("", 1), ("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
        var random = SplitMix64(seed: 2)
        for _ in 0..<500 {
            let count = Int.random(in: 0...100_000, using: &random)
            for (unit, bytes) in units {
                #expect(try ScalarText.size("\(count)\(unit)") == count * bytes)
            }
        }
    }

    @Test(arguments: [
        "", "s", "5", "-5s", "+5s", "5 s", " 5s", "5S", "5sec", "1.5h", "1h30m", "5s ", "٥s", "--5s", "-", "0x5s",
        "9223372036854775808ms", "9223372036854775807s",
    ])
    func malformedDurationsAreRefused(text: String) {
        #expect(throws: Remedy.self) { try ScalarText.duration(text) }
    }

    @Test(arguments: ["", "KiB", "5KB", "5kib", "5 KiB", "-5", "1.5MiB", "5TiB", "9223372036854775807GiB", "0x10"])
    func malformedSizesAreRefused(text: String) {
        #expect(throws: Remedy.self) { try ScalarText.size(text) }
    }

    @Test(arguments: [
        "", "1KiB", "1KiB/m", "KiB/s", "5KB/s", "-5B/s", "5/s", "0KiB", "1KiB /s", "9223372036854775807GiB/s",
    ])
    func malformedRatesAreRefused(text: String) {
        #expect(throws: Remedy.self) { try ScalarText.rate(text) }
    }

    @Test func randomTextsNeverCrash() {
        var random = SplitMix64(seed: 3)
        let alphabet = Array("0123456789-+.msdhKMGiB e\u{301}٣")
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...24, using: &random)
            let text = String((0..<length).compactMap { _ in alphabet.randomElement(using: &random) })
            let scalar = DocumentNode.Scalar(text: text, isPlain: true, isInterpolated: false, variables: [])
            let duration = try? ScalarText.duration(text)
            #expect(duration.map { $0 >= .zero } ?? true)
            let size = try? ScalarText.size(text)
            #expect(size.map { $0 >= 0 } ?? true)
            let rate = try? ScalarText.rate(text)
            #expect(rate.map { $0 >= 0 } ?? true)
            _ = try? ScalarText.integer(scalar)
            _ = try? ScalarText.decimal(scalar)
        }
    }
}

struct InterpolationTests {
    private static let interpolation = Interpolation(environment: [
        "A": "x", "EMPTY": "", "YAML": "\"\n- a: b", "_b2": "y",
    ])

    @Test(arguments: [
        ("plain", "plain"), ("${A}", "x"), ("a${A}b${A}c", "axbxc"), ("${NONE:-d}", "d"), ("${EMPTY:-d}", "d"),
        ("${EMPTY}", ""), ("${NONE:-}", ""), ("${A:-d}", "x"), ("$", "$"), ("$A", "$A"), ("$$", "$$"),
        ("$${A}", "${A}"),
        ("a$$b", "a$$b"), ("${_b2}", "y"), ("${NONE:-a:-b$c}", "a:-b$c"), ("${A}}", "x}"), ("{${A}}", "{x}"),
    ])
    func referencesAreFilledIn(text: String, result: String) throws {
        #expect(try Self.interpolation.resolve(text).text == result)
    }

    @Test(arguments: [
        ("${NONE}", Interpolation.Problem.unset(name: "NONE")), ("${A", .unterminated), ("${}", .malformed),
        ("${1A}", .malformed), ("${A-b}", .malformed), ("${A:+b}", .malformed), ("${ A}", .malformed),
        ("${A:-${B}}", .nested),
    ])
    func brokenReferencesAreReported(text: String, problem: Interpolation.Problem) {
        #expect(throws: problem) { try Self.interpolation.resolve(text) }
    }

    @Test func onlyVariablesWhoseValuesWereUsedAreNamed() throws {
        #expect(try Self.interpolation.resolve("${A} ${NONE:-x} ${EMPTY:-y}").variables == ["A"])
    }

    @Test func environmentValueIsNeverReadAsYAML() {
        let text = Sample.tenant(auth: "require: [\"${YAML}\"]")
        let result = Sample.read(text, environment: ["YAML": "sub]\n    mode: observe #"])
        #expect(result.diagnostics.isEmpty)
        #expect(
            result.configuration?.tenants.first?.authenticate.policy.requiredClaims == ["sub]\n    mode: observe #"]
        )
        #expect(result.configuration?.tenants.first?.mode == .enforce)
    }

    @Test func quotedEnvironmentValueMayBeANumber() {
        let result = Sample.read(Sample.gateway("threads: \"${N}\""), environment: ["N": "3"])
        #expect(result.configuration?.gateway.threads == 3)
    }
}

struct EditDistanceTests {
    @Test func nearestNameIsFound() {
        #expect(EditDistance.between("audience", "audiences") == 1)
        #expect(EditDistance.between("hsots", "hosts") == 1)
        #expect(EditDistance.between("kitten", "sitting") == 3)
        #expect(EditDistance.between("", "abc") == 3)
        #expect(EditDistance.nearest(to: "acess", among: ["access", "accounts"]) == "access")
        #expect(EditDistance.nearest(to: "colour", among: ["level", "format"]) == nil)
        #expect(EditDistance.nearest(to: "Hosts", among: ["hosts"]) == "hosts")
    }
}
