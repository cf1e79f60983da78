/// The cases of one file below Tests/TenantsTests/Mistakes; the README.md there describes the form.
struct MistakeFile {
    /// What is wrong with the file itself: a case that is read wrongly would be a case that is not tested.
    struct Malformed: Error, Equatable, CustomStringConvertible {
        var file: String
        var line: Int
        var reason: String

        var description: String { "\(file):\(line): \(reason)" }
    }

    private(set) var mistakes: [Mistake] = []
    /// The whole text of each base by its name, also of those that were given from outside.
    private(set) var bases: [String: String]

    let name: String

    static let folder = "Tests/TenantsTests/Mistakes"

    /// All files, over the bases of bases.yaml and their own.
    static func all() throws -> [MistakeFile] {
        let common = "bases.yaml"
        let bases = try MistakeFile(name: common, text: Repository.text("\(folder)/\(common)")).bases
        return try Repository.list(folder).filter { $0.hasSuffix(".yaml") && $0 != common }.sorted().map { name in
            try MistakeFile(name: name, text: Repository.text("\(folder)/\(name)"), bases: bases)
        }
    }

    init(name: String, text: String, bases: [String: String] = [:]) throws(Malformed) {
        self.name = name
        self.bases = bases
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let headings = lines.indices.filter { lines[$0].hasPrefix(MistakeHeading.mark) }
        let first = headings.first ?? lines.endIndex
        for index in lines[..<first].indices where !lines[index].isEmpty && !lines[index].hasPrefix("#") {
            throw malformed(index + 1, "only comments stand before the first heading, which is like --- # NAME")
        }
        if headings.isEmpty { throw malformed(1, "there is no case") }
        for (start, end) in zip(headings, headings.dropFirst() + [lines.endIndex]) {
            try read(lines[start], at: start + 1, body: lines[(start + 1)..<end])
        }
    }

    private mutating func read(_ line: String, at number: Int, body: ArraySlice<String>) throws(Malformed) {
        guard let heading = MistakeHeading(line) else {
            throw malformed(number, "a heading is --- # NAME, --- # NAME on BASE, or --- # base NAME on BASE")
        }
        let others = body.indices.filter { body[$0].hasPrefix(Self.otherFile) }
        let own = body[..<(others.first ?? body.endIndex)]
        let (content, expectations) = try contentAndExpectations(own)
        let document = try lay(content, heading, number)
        let text = document.map { $0.text + "\n" }.joined()
        var all = try diagnostics(expectations, document, in: "t.yaml")
        var files: [String: String] = [:]
        var isSilent = expectations.contains { $0.0 == .nothing }
        for (start, end) in zip(others, others.dropFirst() + [body.endIndex]) {
            let path = String(body[start].dropFirst(Self.otherFile.count))
            let (lines, expected) = try contentAndExpectations(body[(start + 1)..<end])
            all += try diagnostics(expected, lines, in: path)
            isSilent = isSilent || expected.contains { $0.0 == .nothing }
            if files.updateValue(lines.map { $0.text + "\n" }.joined(), forKey: path) != nil {
                throw malformed(start + 1, "there is a file \"\(path)\" in this case already")
            }
        }
        if heading.isBase {
            if let (_, number) = expectations.first { throw malformed(number, "a base has no mistake to expect") }
            if bases.updateValue(text, forKey: heading.name) != nil || heading.name == MistakeHeading.nothing {
                throw malformed(number, "there is a base \"\(heading.name)\" already")
            }
        } else {
            if all.isEmpty && !isSilent { throw malformed(number, "a case says what it expects, or #! nothing") }
            mistakes.append(
                Mistake(name: heading.name, text: text, files: files, diagnostics: all, file: name, line: number)
            )
        }
    }

    /// Begins another file of a case: its path follows.
    private static let otherFile = "+++ # "

    private func contentAndExpectations(
        _ body: ArraySlice<String>
    ) throws(Malformed) -> ([MistakeLine], [(MistakeExpectation, number: Int)]) {
        var content: [MistakeLine] = []
        var expectations: [(MistakeExpectation, number: Int)] = []
        for (index, text) in zip(body.indices, body) {
            if let expectation = MistakeExpectation(text) {
                expectations.append((expectation, index + 1))
            } else if text.hasPrefix("#!") {
                throw malformed(index + 1, "what begins with #! is #! LINE:COLUMN: message, or #! nothing")
            } else if !text.hasPrefix("#") {
                content.append(MistakeLine(text: ControlPictures.decoded(text), number: index + 1))
            }
        }
        while content.last?.text == "" { content.removeLast() }
        return (content, expectations)
    }

    private func lay(
        _ content: [MistakeLine],
        _ heading: MistakeHeading,
        _ number: Int
    ) throws(Malformed) -> [MistakeLine] {
        guard heading.base != MistakeHeading.nothing else { return content }
        guard let base = bases[heading.base] else { throw malformed(number, "there is no base \"\(heading.base)\"") }
        let lines = base.split(separator: "\n").map { MistakeLine(text: String($0)) }
        do throws(MistakeLayer.Misfit) {
            return try MistakeLayer.lay(content, over: lines)
        } catch {
            throw malformed(
                error.line.number ?? number,
                "the base \"\(heading.base)\" has no line with this indentation to lay it over"
            )
        }
    }

    /// In the order in which they are written, with their places in the whole document.
    private func diagnostics(
        _ expectations: [(MistakeExpectation, number: Int)],
        _ document: [MistakeLine],
        in file: String
    ) throws(Malformed) -> [String] {
        var diagnostics: [String] = []
        for (expectation, number) in expectations {
            switch expectation {
            case .nothing:
                if expectations.count > 1 { throw malformed(number, "#! nothing stands alone") }
            case .place(let diagnostic): diagnostics.append("\(file):\(diagnostic)")
            case .caret(let column, let message):
                let above = document.compactMap(\.number).filter { $0 < number }.max()
                guard let above, let index = document.firstIndex(where: { $0.number == above }) else {
                    throw malformed(number, "there is no line above for the caret to point to")
                }
                // A place may be just behind the line: that of a value that is missing.
                guard column <= document[index].text.count + 1 else {
                    throw malformed(number, "the caret points beyond the end of the line above")
                }
                diagnostics.append("\(file):\(index + 1):\(column): \(message)")
            }
        }
        return diagnostics
    }

    private func malformed(_ line: Int, _ reason: String) -> Malformed {
        Malformed(file: name, line: line, reason: reason)
    }
}
