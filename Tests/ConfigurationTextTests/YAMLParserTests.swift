import Testing

@testable import ConfigurationText

@Suite struct YAMLParserTests {
    /// A node as flow text: quoted scalars in quotes.
    private func text(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar(let text, isPlain: true): text
        case .scalar(let text, isPlain: false): "\"\(text)\""
        case .sequence(let items): "[" + items.map(text).joined(separator: ", ") + "]"
        case .mapping(let entries):
            "{" + entries.map { "\(text($0.key)): \(text($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    @Test(arguments: [
        ("a: 1", "{a: 1}"), ("- a\n- 'b'\n- \"c\"", "[a, \"b\", \"c\"]"), ("a: |\n  x\n  y\n", "{a: \"x\ny\n\"}"),
        ("a: {b: [1, {c: 2}]}", "{a: {b: [1, {c: 2}]}}"), ("x", "x"), ("a:", "{a: }"), ("---\na: 1\n...\n", "{a: 1}"),
        ("a: &n [1]\nb: *n", "{a: [1], b: [1]}"), ("a: &n 1\nb: &n 2\nc: *n", "{a: 1, b: 2, c: 2}"),
        ("a: 1\na: 2", "{a: 1, a: 2}"), ("? [a]\n: 1", "{[a]: 1}"), ("a: \"b\\0c\"", "{a: \"b\0c\"}"),
        ("\u{FEFF}a: 1", "{a: 1}"), ("a: ü🙂", "{a: ü🙂}"),
    ])
    func valuesAreRead(_ yaml: String, _ expected: String) throws {
        #expect(try YAMLParser.parse(yaml).map(text) == expected)
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n"])
    func textWithoutValueHasNone(_ yaml: String) throws {
        #expect(try YAMLParser.parse(yaml) == nil)
    }

    @Test func placesCountFromOneInScalars() throws {
        let root = try #require(try YAMLParser.parse("a: 1\nüü: [x, 🙂y]\n"))
        guard case .mapping(let entries) = root.content, case .sequence(let items) = entries[1].value.content else {
            Issue.record("not a map with a list")
            return
        }
        #expect(entries.map(\.key.position) == [Position(line: 1, column: 1), Position(line: 2, column: 1)])
        #expect(items.map(\.position) == [Position(line: 2, column: 6), Position(line: 2, column: 9)])
    }

    @Test(arguments: [
        ("a: 1\n---\nb: 2\n", "but found another document", 2, 1),
        ("a: [1\nb: 2", "did not find expected ',' or ']'", 2, 2), ("a: 'b", "found unexpected end of stream", 1, 6),
    ])
    func malformedTextHasAProblemAndItsPlace(_ yaml: String, _ problem: String, _ line: Int, _ column: Int) {
        let failure = #expect(throws: YAMLFailure.self) { try YAMLParser.parse(yaml) }
        guard case .malformed(problem, let position, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(position == Position(line: line, column: column))
    }

    @Test func aliasNeedsAnAnchorBeforeIt() {
        let start = Position(line: 1, column: 4)
        #expect(throws: YAMLFailure.undefinedAlias("b", at: start, isInside: false)) { try YAMLParser.parse("a: *b") }
        let inner = Position(line: 1, column: 8)
        #expect(throws: YAMLFailure.undefinedAlias("n", at: inner, isInside: true)) {
            try YAMLParser.parse("a: &n [*n]")
        }
    }

    @Test func controlCharacterIsUnreadable() {
        #expect(throws: YAMLFailure.unreadable) { try YAMLParser.parse("a: \u{1}") }
    }

    @Test func nestingIsBounded() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(try YAMLParser.parse(nested(YAMLParser.mostLevels)) != nil)
        let position = Position(line: 1, column: YAMLParser.mostLevels + 1)
        #expect(throws: YAMLFailure.tooDeep(position)) { try YAMLParser.parse(nested(YAMLParser.mostLevels + 1)) }
        #expect(throws: YAMLFailure.self) { try YAMLParser.parse(String(repeating: "[", count: 200_000)) }
        #expect(throws: YAMLFailure.self) { try YAMLParser.parse(String(repeating: "a: {", count: 200_000)) }
    }

    @Test(arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"])
    func directivesAreBounded(_ lineBreak: String) throws {
        func text(_ count: Int) -> String {
            (0..<count).map { "%TAG !a\($0)! b\(lineBreak)" }.joined() + "---\na: [x, %]\n"
        }
        #expect(YAMLDirectives.firstTooMany(in: Array(text(YAMLDirectives.most).utf8)) == nil)
        let line = YAMLDirectives.most + 1
        #expect(YAMLDirectives.firstTooMany(in: Array(text(line).utf8)) == line)
        #expect(throws: YAMLFailure.tooManyDirectives(Position(line: line, column: 1))) {
            try YAMLParser.parse(text(line))
        }
        #expect(ScalarRanges(text(line)) == nil)
    }

    @Test func textMayHaveDirectives() throws {
        #expect(try YAMLParser.parse("%YAML 1.1\n%TAG !a! b\n---\na: 1\n") != nil)
        #expect(try YAMLParser.parse(String(repeating: "- 20%\n", count: 100)) != nil)
    }

    /// Aliases of aliases are two values deep each, and together as deep as there are of them.
    @Test(arguments: ["[*a%]", "{k: *a%}"])
    func nestingByAliasesIsBounded(_ form: String) {
        func chain(_ length: Int) -> String {
            (1..<length).map { "- &a\($0 + 1) " + form.replacing("%", with: "\($0)") }.joined(separator: "\n")
        }
        #expect(throws: Never.self) { try YAMLParser.parse("- &a1 x\n" + chain(YAMLParser.mostLevels - 1)) }
        let failure = #expect(throws: YAMLFailure.self) { try YAMLParser.parse("- &a1 x\n" + chain(60_000)) }
        guard case .tooDeep = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    /// What aliases and merge keys repeat is bounded; a long text counts as several values.
    @Test func aliasesThatStandForTooMuchAreRefused() {
        func repeated(_ text: String, _ count: Int) -> String {
            Array(repeating: text, count: count).joined(separator: ",")
        }
        let text = String(repeating: "x", count: 256_000)
        let manyBytes = "a: &a \(text)\nb: [\(repeated("*a", 1_000))]\n"
        let manyValues =
            "a: &a [\(repeated("1", 1_000))]\nb: &b [\(repeated("*a", 1_000))]\nc: [\(repeated("*b", 4))]\n"
        let manyKeys = "a: &a { k: [\(repeated("1", 4_000))] }\nb: [\(repeated("{ <<: *a }", 1_000))]\n"
        for yaml in [manyBytes, manyValues, manyKeys] {
            let findings = Findings(file: "tenants.yaml")
            #expect(YAMLDocument.read(yaml, environment: [:], into: findings) == nil)
            #expect(findings.sorted.map(\.message) == [RepetitionBudget.message])
        }
        for yaml in [
            "a: [\(repeated("1", 200_000))]", "a: &a [\(repeated("1", 999))]\nb: [\(repeated("*a", 3_900))]\n",
        ] {
            let findings = Findings(file: "tenants.yaml")
            #expect(YAMLDocument.read(yaml, environment: [:], into: findings) != nil)
        }
    }

    /// A variable's value is in the environment once, and may be in the file a million times.
    @Test func variablesThatStandForTooMuchAreRefused() {
        let environment = ["LONG": String(repeating: "x", count: 128_000)]
        let yaml = "a: [\(Array(repeating: "\"${LONG}\"", count: 2_100).joined(separator: ","))]\n"
        let findings = Findings(file: "tenants.yaml")
        #expect(YAMLDocument.read(yaml, environment: environment, into: findings) == nil)
        #expect(findings.sorted.map(\.message) == [RepetitionBudget.message])
    }
}
