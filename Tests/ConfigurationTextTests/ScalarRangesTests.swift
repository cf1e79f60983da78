import Testing

@testable import ConfigurationText

/// Where the scalars of a text are.
struct ScalarRangesTests {
    private static func nested(_ levels: Int, _ inner: String = "x") -> String {
        String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
    }

    /// What libyaml does with deep nesting takes time by its square, so reading ends at the same depth as that of values.
    @Test func readingEndsWhereThatOfValuesDoes() throws {
        // What is read must be looked through.
        let deepest = YAMLParser.mostLevels
        #expect(ScalarRanges(Self.nested(deepest, "")) != nil)
        #expect(try YAMLParser.parse(Self.nested(deepest, "")) != nil)
        #expect(ScalarRanges(Self.nested(deepest + 1, "")) == nil)
        #expect(throws: YAMLFailure.self) { try YAMLParser.parse(Self.nested(deepest + 1, "")) }
        #expect(ScalarRanges(String(repeating: "- ", count: deepest + 1) + "x") == nil)
        #expect(ScalarRanges(String(repeating: "{a: ", count: 100_000)) == nil)
        #expect(ScalarRanges("a: " + String(repeating: "[", count: 100_000)) == nil)
    }

    /// Lists beside one another are not deep.
    @Test func levelsEndWithTheirLists() throws {
        let text = Array(repeating: Self.nested(50), count: 50).joined(separator: "\n- ")
        let ranges = try #require(ScalarRanges("- " + text + "\n- ${A}\n"))
        #expect(ranges.references == [Position(line: 51, column: 3)])
    }
}
