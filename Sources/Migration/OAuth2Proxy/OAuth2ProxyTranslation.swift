/// A file that is translated, by the name that it was given by.
package struct SourceFile: Sendable, Equatable {
    package var name: String
    package var text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// Translates the configuration of oauth2-proxy 7.
package struct OAuth2ProxyTranslation {
    let answers: InitAnswers
    let settings: [OAuth2ProxySetting]
    let file: String
    var draft = Draft()
    /// What oauth2-proxy answers itself.
    var unserved: [SourceRule] = []
    /// Of those answers, the ones that a route gives.
    var fixedAnswers: [DraftRoute] = []
    /// Whether a setting is not known here, so that it may be about any path.
    var closesAll = false

    /// - Parameters:
    ///   - files: The flat configuration, flags, variables, and the structured one, in any number.
    ///   - answers: What stands in for settings of the files.
    package static func draft(_ files: [SourceFile], _ answers: InitAnswers) throws(UntranslatableFile) -> Draft {
        var settings: [OAuth2ProxySetting] = []
        for file in files {
            settings +=
                try OAuth2ProxyAlpha.isOne(file.text)
                ? OAuth2ProxyAlpha.settings(file.text, file: file.name)
                : OAuth2ProxyText.settings(file.text, file: file.name)
        }
        var translation = OAuth2ProxyTranslation(
            answers: answers,
            settings: settings.inForce,
            file: files.first?.name ?? "oauth2-proxy"
        )
        translation.noteOverridden(settings)
        try translation.run()
        return translation.draft
    }

    private init(answers: InitAnswers, settings: [OAuth2ProxySetting], file: String) {
        self.answers = answers
        self.settings = settings
        self.file = file
    }

    func setting(_ name: String) -> OAuth2ProxySetting? { settings.last { $0.name == name } }
    func isOn(_ name: String) -> Bool { setting(name)?.isOn ?? false }

    private mutating func run() throws(UntranslatableFile) {
        draft.heading = ["Written by gatehouse init out of \(file). Every key: docs/configuration.md."]
        let isClosed = noteOthers()
        readListeners()
        readStore()
        let hosts = try hosts()
        let mounts = try mounts()
        let tenantName = answers.tenant ?? Draft.tenantName(host: hosts[0].text)
        let issuers = try issuers(host: hosts[0])
        let rules = rules(isClosed: isClosed)
        // With all paths open to callers, what is below the others are routes of the first.
        let areRoutes = mounts.first.map { $0.path == "/" && !$0.isClosed } ?? false
        for (index, mount) in (areRoutes ? [mounts[0]] : mounts).enumerated() {
            var tenant = DraftTenant(name: draft.freeName(index == 0 ? tenantName : mount.tenantName(tenantName)))
            tenant.hosts = hosts
            tenant.pathPrefix = mount.path == "/" ? nil : DraftText(literal: mount.path, mount.origin)
            tenant.backend.servers = mount.servers.map { DraftServer(url: $0) }
            tenant.backend.responseTimeout = responseTimeout
            if let rewrite = mount.rewrite {
                tenant.routes = [
                    DraftRoute(path: "\(mount.path)/**", action: .backend("default"), rewrite: "\(rewrite)/**")
                ]
            }
            if areRoutes { tenant.routes = routes(to: mounts.dropFirst(), of: &tenant) }
            tenant.certificate = certificate
            tenant.rules = rules.filter { $0.path == "/**" || mount.path == "/" || $0.path.hasPrefix(mount.path) }
            if mount.isClosed { tenant.rules = [DraftRule(path: "/**", decision: .closed, origin: mount.origin)] }
            addIdentity(&tenant)
            if closesAll { tenant.close() }
            issuers.add(to: &tenant, isFirst: index == 0)
            draft.tenants.append(tenant)
        }
    }

    /// The longest path first.
    private func routes(to mounts: ArraySlice<OAuth2ProxyMount>, of tenant: inout DraftTenant) -> [DraftRoute] {
        var routes: [DraftRoute] = []
        for mount in mounts.sorted(by: { $0.path.utf8.count > $1.path.utf8.count }) {
            var backend = DraftBackend()
            backend.servers = mount.servers.map { DraftServer(url: $0) }
            backend.responseTimeout = responseTimeout
            let wanted = mount.path.split(separator: "/").last.map(String.init) ?? "more"
            var route = DraftRoute(path: "\(mount.path)/**", action: .split([]), origin: mount.origin)
            route.action = .backend(tenant.addBackend(backend, named: wanted, timeout: &route.responseTimeout))
            route.rewrite = mount.rewrite.map { "\($0)/**" }
            routes.append(route)
        }
        return fixedAnswers + routes
    }

    private var certificate: DraftCertificate? {
        guard let chain = setting("tls_cert_file"), let key = setting("tls_key_file") else { return nil }
        return DraftCertificate(
            chain: DraftText(literal: chain.value, chain.origin),
            key: DraftText(literal: key.value, key.origin)
        )
    }

    private var responseTimeout: DraftText? {
        guard let setting = setting("upstream_timeout") else { return nil }
        return DurationText.written(setting.value).map { DraftText(literal: $0, setting.origin) }
    }

    private mutating func readListeners() {
        let isTLS = certificate != nil
        let name = isTLS ? "https_address" : "http_address"
        let fallback = isTLS ? "0.0.0.0:443" : "127.0.0.1:4180"
        let setting = setting(name)
        let address = setting.map { ListenAddress.read($0.value, defaultPort: isTLS ? 443 : 80) } ?? fallback
        if let setting, address == nil {
            draft.note(.lost, setting.origin, name, "a socket of the file system: \(fallback) is listened on instead")
        }
        draft.listeners = [DraftListener(DraftText(literal: address ?? fallback, setting?.origin), isTLS: isTLS)]
        if isTLS, let other = self.setting("http_address") {
            draft.note(.changed, other.origin, "http_address", "left out: TLS only")
        }
        if let proxies = self.setting("trusted_proxy_ips") {
            draft.trustedProxies = proxies.values.map { DraftText(literal: $0, proxies.origin) }
        } else if let setting = self.setting("reverse_proxy"), setting.isOn {
            draft.trustedProxies = [DraftText(literal: "127.0.0.1/32", setting.origin, remark: "name your proxies")]
            draft.note(
                .changed,
                setting.origin,
                "reverse_proxy",
                "only proxies in gateway.trusted_proxies are believed: name their addresses"
            )
        }
    }

    private mutating func readStore() {
        guard let type = setting("session_store_type"), type.value == "redis" else { return }
        guard let url = setting("redis_connection_url"), url.value.hasPrefix("redis") else {
            draft.note(.lost, type.origin, "session_store_type", "name the Redis server in gateway.store")
            return
        }
        if url.value.contains("@") || url.value.contains("?") {
            draft.store = DraftText(variable: "GATEHOUSE_STORE", url.origin, remark: "redis://:password@host:6379/0")
            draft.note(
                .changed,
                url.origin,
                "redis_connection_url",
                "it may hold a password: export it as GATEHOUSE_STORE"
            )
        } else {
            draft.store = DraftText(literal: url.value, url.origin)
        }
    }

    private func hosts() throws(UntranslatableFile) -> [DraftText] {
        if let setting = setting("redirect_url"), let url = SourceURL(setting.value) {
            return [DraftText(literal: url.host, setting.origin)]
        }
        if !answers.hosts.isEmpty { return answers.hosts.map { DraftText(literal: $0) } }
        throw UntranslatableFile("\(file): no redirect_url says which host it is for: add --host app.example.com")
    }
}
