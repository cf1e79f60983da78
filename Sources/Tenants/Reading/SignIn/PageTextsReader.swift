import ConfigurationText

/// Reads the file of `issuer.page.texts`: texts by language, page and name.
struct PageTextsReader {
    /// Bytes of the longest file, and of the longest text.
    private static let longestFile = 256 << 10
    private static let longestText = 1000
    private static let mostLanguages = 64
    /// RFC 5646 section 4.4.1.
    private static let longestTag = 35

    private let session: ReadingSession

    init(_ session: ReadingSession) {
        self.session = session
    }

    /// - Parameter node: The file's path.
    /// - Returns: Nil if it cannot be used, which was reported.
    func read(_ node: DocumentNode) -> PageTexts? {
        guard let scalar = node.filled else { return nil }
        return session.shared(\.pageTexts, session.resolve(scalar.text)) { path in
            let before = session.findings.errorCount
            guard let root = root(of: path, node, scalar) else { return nil }
            SchemaCheck(findings: session.findings).file(root, Self.schema)
            guard session.findings.errorCount == before else { return nil }
            let texts = PageTexts(languages: languages(root))
            return session.findings.errorCount == before ? texts : nil
        }
    }

    private func root(of path: String, _ node: DocumentNode, _ scalar: DocumentNode.Scalar) -> DocumentNode? {
        let content: [UInt8]
        do throws(FileReadingError) {
            content = try session.files.read(path, limit: Self.longestFile)
        } catch {
            return session.at(node).refuse("\"texts\" cannot be read, \(scalar.shown): \(error)")
        }
        let source = DocumentSource(named: path)
        session.findings.add(source)
        guard let text = SourceText(content, source, .included, into: session.findings) else { return nil }
        let document = YAMLDocument.read(
            text.text,
            of: source,
            environment: session.environment,
            budget: RepetitionBudget(),
            into: session.findings
        )
        switch document {
        case .root(let root): return root
        case .empty:
            return session.at(node).refuse("\"texts\" has no text, \(scalar.shown): add a language, or leave it out")
        case .unreadable: return nil
        }
    }

    // MARK: Languages

    private func languages(_ root: DocumentNode) -> [PageTexts.Language] {
        if root.entries.count > Self.mostLanguages {
            session.at(root).error("there are more than \(Self.mostLanguages) languages: leave some of them out")
        }
        var known: Set<String> = []
        return root.entries.map { entry in
            if !Self.isTag(entry.key) {
                session.at(entry).error(
                    "\"\(entry.key.prefix(40))\" is no language: write its tag, like fr, pt-BR or zh-Hant"
                )
            } else if !known.insert(entry.key.lowercased()).inserted {
                session.at(entry).error("the language \"\(entry.key)\" is there twice: write its texts together")
            }
            return PageTexts.Language(
                tag: entry.key,
                signIn: texts(entry.value[named: Self.signInKey]),
                account: texts(entry.value[named: Self.accountKey]),
                deletion: texts(entry.value[named: Self.deletionKey])
            )
        }
    }

    /// Whether it has the form of a tag (RFC 5646 section 2.1): a language, then what it is more closely.
    private static func isTag(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let language = parts.first, text.utf8.count <= longestTag else { return false }
        return (2...3).contains(language.count) && language.allSatisfy(isLetter)
            && parts.dropFirst().allSatisfy { part in
                (2...8).contains(part.count) && part.allSatisfy { isLetter($0) || isDigit($0) }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    // MARK: Texts

    private func texts<Name: PageText>(_ section: DocumentNode?) -> [Name: String] {
        var texts: [Name: String] = [:]
        for entry in section?.entries ?? [] {
            guard let name = Name(rawValue: entry.key), let text = entry.value.filled?.text else { continue }
            if let fault = Self.fault(of: text, hasPlace: Name.withPlace.contains(name)) {
                session.at(entry.value).error("\"\(entry.key)\" \(fault)")
            }
            texts[name] = text
        }
        return texts
    }

    private static func fault(of text: String, hasPlace: Bool) -> String? {
        guard text.utf8.count <= longestText else {
            return "has \(text.utf8.count) bytes: write at most \(longestText)"
        }
        guard PrintableText.isPrintable(text, allowsJoiners: true) else {
            return "must be visible text on one line: leave control characters out"
        }
        let mark = Array(PageTextPlace.mark.utf8)
        let bytes = Array(text.utf8)
        let places = bytes.indices.count { bytes[$0...].starts(with: mark) }
        switch (places, hasPlace) {
        case (0, true): return "lacks {}, which stands for a name: write it where that is to stand"
        case (1, true), (0, false): return nil
        case (_, true): return "has {} \(places) times: keep one, a name stands in one place"
        case (_, false): return "has {}, but no name is in this text: leave it out"
        }
    }

    // MARK: Form

    private static let signInKey = "sign_in"
    private static let accountKey = "account"
    private static let deletionKey = "deletion"

    /// The form of the file, whose mistakes are found as those of tenants.yaml are.
    private static let schema = SchemaType.dictionary(
        key: "LANGUAGE",
        .object(
            SchemaObject(keys: [
                SchemaKey(name: signInKey, type: section(of: SignInText.self)),
                SchemaKey(name: accountKey, type: section(of: AccountText.self)),
                SchemaKey(name: deletionKey, type: section(of: DeletionText.self)),
            ])
        )
    )

    private static func section<Name: PageText>(of names: Name.Type) -> SchemaType {
        .object(
            SchemaObject(
                keys: names.allCases.map { name in
                    let example = Name.withPlace.contains(name) ? "\"Hello {}\"" : "Hello"
                    return SchemaKey(name: name.rawValue, type: .text(example: example))
                }
            )
        )
    }
}
