import ConfigurationText

/// Reads the tenants, and checks what they share.
struct TenantsReader {
    /// A value of a template as it stands below a tenant's key.
    private struct CheckedValue: Hashable {
        var position: Position
        var key: String
        var isWhole: Bool
    }

    private let document: ComposedDocument
    private let session: ReadingSession
    private var shared: SharedSettingsCheck
    /// nil: the writers of all tenants may do all.
    private var reach: WriterReachCheck?
    private var checked: Set<CheckedValue> = []
    private(set) var tenants: [Tenant] = []
    /// The keys of their certificates.
    private(set) var certificates: [Position] = []
    /// Those of the document that are left out for a mistake, by their place.
    private(set) var leftOut: Set<Int> = []
    /// What the next reading may take over, by name.
    private(set) var known: [String: KnownTenants.Known] = [:]

    init(_ document: ComposedDocument, _ session: ReadingSession) {
        self.document = document
        self.session = session
        shared = SharedSettingsCheck(session)
        reach = document.tenants.contains { $0.writer != .all } ? WriterReachCheck(session) : nil
    }

    mutating func read() {
        for template in document.templates {
            checkName(template, "template")
            checkSchema(template, isWhole: false, isExtending: true)
        }
        tenants.reserveCapacity(document.tenants.count)
        known.reserveCapacity(document.tenants.count)
        shared.reserve(tenants: document.tenants.count)
        readTenants()
        requireAccessTokens()
    }

    /// Reads the tenants, first those whose writer may do all: of two that contradict each other the later one is at fault.
    private mutating func readTenants() {
        guard reach != nil else {
            for index in document.tenants.indices { read(document.tenants[index], at: index) }
            return
        }
        let isLimited = document.tenants.map { $0.writer != .all }
        var places: [Int] = []
        for index in isLimited.indices.filter({ !isLimited[$0] }) + isLimited.indices.filter({ isLimited[$0] }) {
            let before = tenants.count
            read(document.tenants[index], at: index)
            if tenants.count > before { places.append(index) }
        }
        tenants = zip(places, tenants).sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Reports that there is no tenant.
    func requireTenants() {
        guard document.tenants.isEmpty, !session.findings.hasErrors else { return }
        if let node = document.main[Schema.root.tenants] {
            session.at(node).error("\"tenants\" is empty: name at least 1")
        } else {
            session.at(Position.start).error("the file lacks \"tenants\": add the section")
        }
    }

    private mutating func read(_ composed: ComposedDocument.ComposedTenant, at index: Int) {
        let (name, origins, source) = (composed.entry.key, document.origins, composed.source)
        let reading = Findings.ReadTenant(
            name: name,
            isOwn: { position in
                guard composed.isExtending, case .template = origins.owner(of: position) else { return true }
                return false
            },
            blamed: composed.leavesRest ? source : nil
        )
        let wasFaulty = session.findings.faulty.contains(source)
        let filesBefore = session.filesRead
        let (read, isRight) = session.findings.reading(reading) { () -> Parts in
            let parts = composed.known.map(take) ?? readParts(composed)
            if let (_, settings) = parts.tenant { reach?.check(settings, by: composed.writer) }
            return parts
        }
        if reading.blamed != nil, !isRight || wasFaulty {
            // It takes nothing from the others.
            leftOut.insert(index)
            return
        }
        shared.addHosts(read.hosts, prefix: read.prefix, of: name)
        if let certificate = read.certificatePosition { certificates.append(certificate) }
        guard let (tenant, settings) = read.tenant else { return }
        shared.add(settings, of: name)
        reach?.add(settings, of: name)
        tenants.append(tenant)
        guard reading.blamed != nil, !session.findings.mentioned.contains(source), session.filesRead == filesBefore
        else { return }
        known[name] =
            composed.known
            ?? KnownTenants.Known(
                text: composed.text,
                writer: composed.writer,
                tenant: tenant,
                settings: settings,
                repeated: composed.repeated
            )
    }

    private struct Parts {
        /// nil if a required part is missing, which was reported.
        var tenant: (Tenant, SharedSettings)?
        var hosts: [SharedSettings.Host]
        var prefix: String?
        var certificatePosition: Position?
    }

    /// A tenant that was read before: what the others are has changed. It has no certificate, as that is a file's.
    private func take(_ known: KnownTenants.Known) -> Parts {
        shared.checkHosts(known.settings.hosts, prefix: known.settings.pathPrefix, of: known.tenant.name)
        shared.check(known.settings)
        return Parts(
            tenant: (known.tenant, known.settings),
            hosts: known.settings.hosts,
            prefix: known.settings.pathPrefix
        )
    }

    private mutating func readParts(_ composed: ComposedDocument.ComposedTenant) -> Parts {
        let entry = composed.entry
        checkName(entry, "tenant")
        checkSchema(entry, isWhole: !composed.isIncomplete, isExtending: composed.isExtending)
        let prefix = PathPrefixReader.read(Schema.tenant.pathPrefix, in: entry.value, session)
        let hosts = readHosts(entry.value)
        shared.checkHosts(hosts, prefix: prefix, of: entry.key)
        let certificate = entry.value.entry(Schema.tenant.tls)?.keyPosition
        var parts = Parts(hosts: hosts, prefix: prefix, certificatePosition: certificate)
        guard !composed.isIncomplete else { return parts }
        let reader = TenantReader(
            name: entry.key,
            isStored: composed.text.kind.isTenant,
            hosts: hosts.map(\.pattern),
            pathPrefix: prefix
        )
        if let tenant = reader.read(entry.value, session) {
            let settings = SharedSettings(tenant, entry.value, hosts: hosts)
            shared.check(settings)
            parts.tenant = (tenant, settings)
        }
        return parts
    }

    /// - Parameter isExtending: Whether values in it may be a template's: each of those is checked once, however many
    ///   tenants have it.
    private mutating func checkSchema(_ entry: DocumentNode.Entry, isWhole: Bool, isExtending: Bool) {
        let check = SchemaCheck(findings: session.findings)
        guard isExtending else { return check.tenant(entry) }
        var unchecked: [CheckedValue] = []
        let before = session.findings.errorCount
        func isUnchecked(_ member: DocumentNode.Entry) -> Bool {
            let value = CheckedValue(position: member.value.position, key: member.key, isWhole: isWhole)
            guard !checked.contains(value) else { return false }
            if case .template = document.origins.owner(of: member.keyPosition) { unchecked.append(value) }
            return true
        }
        if isWhole { check.tenant(entry, where: isUnchecked) } else { check.part(entry, where: isUnchecked) }
        // Another tenant with the same mistake has it too.
        if session.findings.errorCount == before { checked.formUnion(unchecked) }
    }

    /// Requires the type of access tokens from every issuer of this file, however a tenant gets its keys: it signs ID
    /// tokens with the same keys, and those must not authenticate requests.
    private mutating func requireAccessTokens() {
        let own = Set(tenants.compactMap { $0.issuer.map { Array($0.url.utf8) } })
        guard !own.isEmpty else { return }
        for tenant in tenants.indices {
            for index in tenants[tenant].authenticate.policy.issuers.indices
            where own.contains(Array(tenants[tenant].authenticate.policy.issuers[index].issuer.utf8)) {
                tenants[tenant].authenticate.policy.issuers[index].requiresAccessTokenType = true
            }
        }
    }

    private func checkName(_ entry: DocumentNode.Entry, _ kind: String) {
        let isPlain = entry.key.utf8.allSatisfy { $0.isLetterDigit(or: "-_") }
        if !isPlain || !(1...63).contains(entry.key.utf8.count) {
            session.at(entry).error("a \(kind)'s name has 1 to 63 letters, digits, \"-\" and \"_\": rename it")
        } else if entry.key == "_other" {
            session.at(entry).error("\"_other\" stands for several tenants in metrics: rename it")
        }
    }

    private func readHosts(_ tenant: DocumentNode) -> [SharedSettings.Host] {
        var hosts: [SharedSettings.Host] = []
        for item in tenant[Schema.tenant.hosts]?.items ?? [] {
            guard let scalar = item.filled else { continue }
            let fault = "\"hosts\" must hold host names, but \(scalar.shown) is none"
            guard let pattern = session.at(item).value(of: try NetworkText.hostPattern(scalar.text), or: fault) else {
                continue
            }
            hosts.append(SharedSettings.Host(pattern: pattern, position: item.position, shown: scalar.shown))
        }
        return hosts
    }
}
