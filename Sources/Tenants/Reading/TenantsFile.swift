import ConfigurationText
public import Time

/// Reads tenants.yaml into values, or reports all of its errors.
public enum TenantsFile {
    /// - Parameters:
    ///   - path: The file; paths in it are relative to its directory.
    ///   - environment: For `${NAME}` and `STATE_DIRECTORY`.
    ///   - now: Certificates that are not valid then are warned of; nil: not checked.
    ///   - further: Tenants that are in no file; nil: there can be none, and the files must have one.
    public static func read(
        path: String,
        environment: [String: String],
        files: some FileReading,
        now: UnixTime? = nil,
        further: FurtherTenants? = nil
    ) -> ReadResult {
        do throws(FileReadingError) {
            let text = try files.read(path, limit: IncludedFiles.byteLimit)
            return read(text: text, path: path, environment: environment, files: files, now: now, further: further)
        } catch {
            let findings = Findings(file: path)
            findings.error(.start, "cannot read the file: \(error)")
            return ReadResult(findings: findings)
        }
    }

    /// As `read(path:environment:files:now:further:)`, with the content of the file given.
    public static func read(
        text: [UInt8],
        path: String,
        environment: [String: String],
        files: some FileReading,
        now: UnixTime? = nil,
        further: FurtherTenants? = nil
    ) -> ReadResult {
        let findings = Findings(file: path)
        var included = IncludedFiles(findings: findings, files: files, path: path, bytes: text.count)
        var composer = DocumentComposer(findings: findings, environment: environment)
        guard let main = SourceText(text, .main, .main, into: findings), let root = composer.add(main) else {
            return ReadResult(findings: findings)
        }
        included.read(root[Schema.root.include])
        composer.lacksFile = findings.hasErrors
        for text in included.texts { composer.add(text) }
        let context = KnownTenants.Context(texts: composer.texts, environment: environment)
        if let further { composer.add(further, known: further.known?.all(in: context) ?? [:]) }
        guard let document = composer.compose() else { return ReadResult(findings: findings) }
        let check = SchemaCheck(findings: findings)
        check.main(document.main)
        for root in document.included { check.included(root, main: path) }

        let session = ReadingSession(findings: findings, files: files, path: path, environment: environment, now: now)
        let gateway = GatewayReader.read(document.main[Schema.root.gateway], session)
        var reader = TenantsReader(document, session)
        reader.read()
        if further == nil, !gateway.tenants.contains(.store) { reader.requireTenants() }
        ListenerTLSCheck.check(document.main[Schema.root.gateway], certificates: reader.certificates, session)
        if let further, further.isKept { further.known?.keep(reader.known, context) }
        let leftOut = further.map { LeftOutTenant.all(of: $0, findings) } ?? []
        guard !findings.hasErrors else { return ReadResult(leftOut: leftOut, findings: findings) }
        return ReadResult(
            configuration: TenantsConfiguration(
                gateway: gateway,
                tenants: reader.tenants,
                document: ConfigurationDocument(
                    texts: document.texts.filter { !findings.faulty.contains($0.source) },
                    environment: environment
                )
            ),
            effective: further?.known == nil
                ? EffectiveConfiguration(
                    root: document.root { !reader.leftOut.contains($0) },
                    origins: document.origins,
                    file: path
                ) : nil,
            leftOut: leftOut,
            findings: findings
        )
    }
}

extension LeftOutTenant {
    fileprivate static func all(of further: FurtherTenants, _ findings: Findings) -> [LeftOutTenant] {
        guard !findings.faulty.isEmpty else { return [] }
        return further.sources.compactMap { tenant in
            let source = DocumentSource(named: tenant.label)
            guard findings.faulty.contains(source) else { return nil }
            return LeftOutTenant(
                name: tenant.name,
                label: tenant.label,
                diagnostics: findings.diagnostics(of: source)
            )
        }
    }
}
