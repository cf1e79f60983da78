import Testing

/// The reader of the files of mistakes, which fails rather than leave a case out.
struct MistakeFileTests {
    private static let base = """
        --- # base tenant on nothing
        version: 1
        tenants:
          shop:
            hosts: [a.test]
            backend:
              servers: [http://a]
              health:
                path: /health

        """

    private static func read(_ cases: String) throws -> [Mistake] {
        try MistakeFile(name: "f.yaml", text: base + cases).mistakes
    }

    @Test func caretMarksAPositionInTheWholeDocument() throws {
        let mistakes = try Self.read(
            """
            --- # one
                hosts: [b.test]
            #           ^ first
              #         ^ second: warning
                mode:
            #       ^ is missing
            --- # two
            # No part of the document, and not said.
                mode: enforce
            #! 1:1: third

            """
        )
        #expect(mistakes.map(\.name) == ["one", "two"])
        #expect(
            mistakes.map(\.diagnostics) == [
                ["t.yaml:4:13: first", "t.yaml:4:13: second: warning", "t.yaml:9:9: is missing"], ["t.yaml:1:1: third"],
            ]
        )
        #expect(mistakes.map(\.testDescription) == ["one (f.yaml:10)", "two (f.yaml:16)"])
        let rest = "    backend:\n      servers: [http://a]\n      health:\n        path: /health\n"
        let head = "version: 1\ntenants:\n  shop:\n"
        #expect(
            mistakes.map(\.text) == [
                "\(head)    hosts: [b.test]\n\(rest)    mode:\n",
                "\(head)    hosts: [a.test]\n\(rest)    mode: enforce\n",
            ]
        )
    }

    @Test(arguments: [
        // A key of the base is replaced where it is, another one follows.
        ("    backend: {}\n    hosts: []\n    mode: x", "    hosts: []\n    backend: {}\n    mode: x"),
        // Of keys below a key, those that are not given stay.
        (
            "    backend:\n      health:\n        every: 1s\n      servers: []",
            """
                hosts: [a.test]
                backend:
                  servers: []
                  health:
                    path: /health
                    every: 1s
            """
        ),
        // What is no block of keys in both is replaced whole.
        ("    backend:\n    - a\n    - b", "    hosts: [a.test]\n    backend:\n    - a\n    - b"),
        ("    backend:", "    hosts: [a.test]\n    backend:"),
        // What is given twice is there twice.
        (
            "    hosts: []\n    hosts: {}",
            """
                hosts: []
                backend:
                  servers: [http://a]
                  health:
                    path: /health
                hosts: {}
            """
        ),
        // Without the lines above it, a line is for the first keys that are indented so.
        (
            "        path: /x\n      tls: {}\n    mode: x",
            """
                hosts: [a.test]
                backend:
                  servers: [http://a]
                  health:
                    path: /x
                  tls: {}
                mode: x
            """
        ),
    ])
    func caseIsMergedIntoItsBase(lines: String, tenant: String) throws {
        let mistakes = try Self.read("--- # one\n\(lines)\n\n#! nothing\n")
        #expect(mistakes.map(\.text) == ["version: 1\ntenants:\n  shop:\n\(tenant)\n"])
    }

    @Test func baseMayExtendAnother() throws {
        let text = Self.base + "--- # base calm\n    mode: observe\n--- # one on calm\n    mode: x\n#         ^ no\n"
        let file = try MistakeFile(name: "f.yaml", text: text)
        #expect(file.bases.keys.sorted() == ["calm", "tenant"])
        #expect(file.bases["calm"]?.hasSuffix("path: /health\n    mode: observe\n") == true)
        #expect(file.mistakes.map(\.diagnostics) == [["t.yaml:9:11: no"]])
    }

    @Test func wholeDocumentIsUsedAsWritten() throws {
        let mistakes = try Self.read(
            "--- # one on nothing\n␉a: ␁\n---\nb\n\n#! 1:1: x\n--- # none on nothing\n#! nothing"
        )
        #expect(mistakes.map(\.text) == ["\ta: \u{1}\n---\nb\n", ""])
        #expect(mistakes.map(\.diagnostics) == [["t.yaml:1:1: x"], []])
    }

    @Test func caseMayHaveOtherFiles() throws {
        let mistakes = try Self.read(
            """
            --- # one
                hosts: [b.test]
            #           ^ first
            +++ # d/a.yaml
            tenants: {}
            #        ^ second
            # No part of it.
            +++ # d/b.yaml
            --- # two
                mode: enforce
            +++ # d/a.yaml
            version: 1
            #! nothing

            """
        )
        #expect(mistakes.map(\.diagnostics) == [["t.yaml:4:13: first", "d/a.yaml:1:10: second"], []])
        #expect(
            mistakes.map(\.files) == [["d/a.yaml": "tenants: {}\n", "d/b.yaml": ""], ["d/a.yaml": "version: 1\n"]]
        )
    }

    @Test(arguments: [
        ("", "1: there is no case"),
        ("# Only words.\n", "1: there is no case"),
        ("hosts: []\n--- # a\n", "1: only comments stand before the first heading, which is like --- # NAME"),
        ("\n--- # \n", "2: a heading is --- # NAME, --- # NAME on BASE, or --- # base NAME on BASE"),
        ("--- # two words\n", "1: a heading is --- # NAME, --- # NAME on BASE, or --- # base NAME on BASE"),
        ("--- # a in b\n", "1: a heading is --- # NAME, --- # NAME on BASE, or --- # base NAME on BASE"),
        ("--- #a-b\n", "1: a heading is --- # NAME, --- # NAME on BASE, or --- # base NAME on BASE"),
        ("--- # a on nowhere\na: 1\n", #"1: there is no base "nowhere""#),
        ("--- # a on nothing\na: 1\n", "1: a case says what it expects, or #! nothing"),
        ("--- # a on nothing\na: 1\n#! nothing\n#! 1:1: x\n", "3: #! nothing stands alone"),
        (
            "--- # a on nothing\na: 1\n#! x\n",
            "3: what begins with #! is #! LINE:COLUMN: message, or #! nothing"
        ),
        ("--- # a on nothing\n#   ^ x\na: 1\n", "2: there is no line above for the caret to point to"),
        ("--- # a on nothing\na: 1\n#    ^ x\n", "3: the caret points beyond the end of the line above"),
        ("--- # base a on nothing\na: 1\n# ^ x\n", "3: a base has no mistake to expect"),
        (
            "--- # a on nothing\n#! nothing\n+++ # b\n+++ # b\n", #"4: there is a file "b" in this case already"#
        ),
        ("--- # base nothing on nothing\na: 1\n", #"1: there is a base "nothing" already"#),
        ("--- # base a on nothing\n--- # base a on nothing\n", #"2: there is a base "a" already"#),
        (
            "--- # base a on nothing\na: 1\n--- # b on a\nb: 1\n  c: 1\n c: 2\n#! nothing\n--- # c on a\n  c: 1\n#! nothing\n",
            #"9: the base "a" has no line with this indentation to lay it over"#
        ),
    ])
    func malformedFileIsReportedWithItsLine(text: String, message: String) {
        let error = #expect(throws: MistakeFile.Malformed.self) { try MistakeFile(name: "f.yaml", text: text) }
        #expect(error?.description == "f.yaml:\(message)")
    }
}
