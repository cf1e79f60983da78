import ConfigurationText

/// Reads the files that `include` names.
struct IncludedFiles {
    /// Bytes of tenants.yaml and of all that it includes.
    static let byteLimit = 64 << 20
    static let mostFiles = 100_000

    let findings: Findings
    let files: any FileReading
    /// The path of tenants.yaml.
    let path: String
    /// With `/` at its end, or empty for the working directory.
    let directory: String
    private var left: Int
    private var known: Set<String>
    private(set) var texts: [SourceText] = []

    /// - Parameter bytes: The length of tenants.yaml.
    init(findings: Findings, files: any FileReading, path: String, bytes: Int) {
        self.findings = findings
        self.files = files
        self.path = path
        directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        left = Self.byteLimit - bytes
        known = [FilePattern(path).path]
    }

    mutating func read(_ node: DocumentNode?) {
        for item in node?.items ?? [] {
            guard let scalar = item.filled else { continue }
            let written = scalar.text
            let pattern = FilePattern(written.hasPrefix("/") ? written : directory + written)
            if pattern.isLiteral {
                readNamed(pattern.path, scalar, item.position)
            } else {
                readMatches(of: pattern, scalar, item.position)
            }
        }
    }

    private mutating func readNamed(_ file: String, _ scalar: DocumentNode.Scalar, _ position: Position) {
        guard file != FilePattern(path).path else {
            return findings.error(position, "\(scalar.shown) is this file itself: take it out of \"include\"")
        }
        read(file, named: scalar, position)
    }

    private mutating func readMatches(
        of pattern: FilePattern,
        _ scalar: DocumentNode.Scalar,
        _ position: Position
    ) {
        let shown = scalar.shown
        do throws(FileReadingError) {
            let matches = try pattern.matches(files)
            if matches.allSatisfy({ $0 == FilePattern(path).path }) {
                findings.warning(position, "no file matches \(shown): add one, or take the pattern out of \"include\"")
            }
            for file in matches { read(file, named: scalar, position) }
        } catch {
            findings.error(position, "the directory of \(shown) cannot be read, \(error): let the gateway read it")
        }
    }

    private mutating func read(_ file: String, named scalar: DocumentNode.Scalar, _ position: Position) {
        // No message shows a value of the environment.
        let shown = scalar.variables.isEmpty ? "\"\(file)\"" : "a file of \(scalar.shown)"
        guard known.insert(file).inserted else { return }
        guard known.count <= Self.mostFiles else {
            return findings.error(
                position,
                "more than \(Self.mostFiles) files are included: write some of them together"
            )
        }
        let content: [UInt8]
        do throws(FileReadingError) {
            content = try files.read(file, limit: max(0, left))
        } catch .tooLarge {
            return findings.error(
                position,
                "\(shown) makes the files longer than \(Self.byteLimit >> 20) MiB together: include less"
            )
        } catch {
            return findings.error(
                position,
                "\(shown) cannot be read, \(error): put it there, or take it out of \"include\""
            )
        }
        left -= content.count
        let source = DocumentSource(named: file)
        findings.add(source)
        guard let text = SourceText(content, source, .included, into: findings) else { return }
        texts.append(text)
    }
}

extension SourceText {
    /// - Returns: nil if the content is not UTF-8, which is reported.
    init?(_ content: [UInt8], _ source: DocumentSource, _ kind: Kind, into findings: Findings) {
        guard let text = String(validating: content, as: UTF8.self) else {
            let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
            let position = Position(line: (index ?? 0) + 1, column: 1, source: source)
            findings.error(position, "not valid UTF-8: save the file as UTF-8")
            return nil
        }
        self.init(source: source, kind: kind, text: text)
    }
}
