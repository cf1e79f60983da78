public import Time

/// Reads tenants.yaml into values, or reports all of its errors.
public enum TenantsFile {
    /// - Parameters:
    ///   - path: The file; paths in it are relative to its directory.
    ///   - environment: For `${NAME}` and `STATE_DIRECTORY`.
    ///   - now: Certificates that are not valid then are warned of; nil: not checked.
    public static func read(
        path: String,
        environment: [String: String],
        files: some FileReading,
        now: UnixTime? = nil
    ) -> ReadResult {
        do throws(FileReadingError) {
            return read(text: try files.read(path), path: path, environment: environment, files: files, now: now)
        } catch {
            let findings = Findings(file: path)
            findings.error(.start, "cannot read the file: \(error)")
            return ReadResult(configuration: nil, effective: nil, findings: findings)
        }
    }

    /// As `read(path:environment:files:now:)`, with the content of the file given.
    public static func read(
        text: [UInt8],
        path: String,
        environment: [String: String],
        files: some FileReading,
        now: UnixTime? = nil
    ) -> ReadResult {
        let findings = Findings(file: path)
        guard let text = String(validating: text, as: UTF8.self) else {
            findings.error(firstInvalidLine(text), "not valid UTF-8: save the file as UTF-8")
            return ReadResult(configuration: nil, effective: nil, findings: findings)
        }
        guard let root = YAMLDocument.read(text, environment: environment, into: findings) else {
            return ReadResult(configuration: nil, effective: nil, findings: findings)
        }
        SchemaCheck.check(root, into: findings)
        let session = ReadingSession(findings: findings, files: files, path: path, environment: environment, now: now)
        let gateway = GatewayReader.read(root[Schema.root.gateway], session)
        let tenants = TenantsReader.read(root[Schema.root.tenants], session)
        ListenerTLSCheck.check(root, session)
        let isUsable = !session.findings.hasErrors
        let document = ConfigurationDocument(text: text, environment: environment)
        return ReadResult(
            configuration: isUsable
                ? TenantsConfiguration(gateway: gateway, tenants: tenants, document: document) : nil,
            effective: isUsable ? EffectiveConfiguration(root: root) : nil,
            findings: session.findings
        )
    }

    private static func firstInvalidLine(_ text: [UInt8]) -> Position {
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }
        return Position(line: (index ?? 0) + 1, column: 1)
    }
}

/// The result of reading tenants.yaml.
public struct ReadResult: Sendable {
    /// nil if there is any error.
    public let configuration: TenantsConfiguration?
    /// The configuration with every default written out; nil if there is any error.
    public let effective: EffectiveConfiguration?
    /// Errors and warnings in the order of the file.
    public let diagnostics: [Diagnostic]

    init(configuration: TenantsConfiguration?, effective: EffectiveConfiguration?, findings: Findings) {
        self.configuration = configuration
        self.effective = effective
        self.diagnostics = findings.sorted
    }

    public var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
    public var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }
}
