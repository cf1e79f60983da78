public import ConfigurationText

/// The result of reading tenants.yaml.
public struct ReadResult: Sendable {
    /// nil if there is any error.
    public let configuration: TenantsConfiguration?
    /// The configuration with every default written out; nil if there is any error, and where tenants may be known from the
    /// last reading (``FurtherTenants/known``).
    public let effective: EffectiveConfiguration?
    /// Errors and warnings in the order of the files, tenants.yaml first, and of their lines.
    public let diagnostics: [Diagnostic]
    /// The further tenants that are left out of the configuration for their mistakes, which are not in `diagnostics`.
    public let leftOut: [LeftOutTenant]
    private let sources: [DocumentSource]
    /// The path of tenants.yaml.
    private let file: String

    init(
        configuration: TenantsConfiguration? = nil,
        effective: EffectiveConfiguration? = nil,
        leftOut: [LeftOutTenant] = [],
        findings: Findings
    ) {
        self.configuration = configuration
        self.effective = effective
        self.leftOut = leftOut
        diagnostics = findings.sorted
        sources = findings.sources
        file = findings.name(of: .main)
    }

    /// The files, and what else was read, in the order of `diagnostics`.
    public var files: [String] { sources.map { $0.name ?? file } }

    public var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
    public var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }

    /// `diagnostics` with others about the same files, in the same order.
    public func diagnostics(with others: [Diagnostic]) -> [Diagnostic] {
        let files = files
        let places = Dictionary(files.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        return (diagnostics + others).enumerated()
            .map { (place: places[$0.element.file] ?? files.count, offset: $0.offset, diagnostic: $0.element) }
            .sorted { left, right in
                (left.place, left.diagnostic.line, left.diagnostic.column, left.offset)
                    < (right.place, right.diagnostic.line, right.diagnostic.column, right.offset)
            }
            .map(\.diagnostic)
    }
}
