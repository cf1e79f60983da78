import Tenants

/// Translates nginx's configuration: its servers that forward requests, with `auth_request` or `auth_jwt`.
package struct NginxTranslation {
    let answers: InitAnswers
    let root: NginxScope
    let file: String
    var draft = Draft()
    /// Hosts and prefixes that have a tenant.
    var taken: Set<String> = []
    /// Whether something restricts access to all servers that is not known here.
    private var closesAll = false

    /// - Parameter included: The files that an `include` names, in their order; nil if one cannot be read.
    package static func draft(
        _ file: SourceFile,
        _ answers: InitAnswers,
        included: @escaping (String) -> [SourceFile]? = { _ in nil }
    ) throws(UntranslatableFile) -> Draft {
        let directives = try NginxParser.parse(file, included: included)
        let http = directives.first { $0.name == "http" }?.block
        // A file of conf.d has what stands in http.
        let root = NginxScope(blocks: [http ?? directives])
        var translation = NginxTranslation(answers: answers, root: root, file: file.name)
        for directive in http == nil ? [] : directives { translation.noteMain(directive) }
        try translation.run()
        return translation.draft
    }

    private init(answers: InitAnswers, root: NginxScope, file: String) {
        self.answers = answers
        self.root = root
        self.file = file
    }

    private mutating func noteMain(_ directive: NginxDirective) {
        if ["stream", "mail"].contains(directive.name) {
            draft.note(.lost, directive.origin, directive.name, "only HTTP is forwarded")
        }
    }

    private mutating func run() throws(UntranslatableFile) {
        draft.heading = ["Written by gatehouse init out of \(file). Every key: docs/configuration.md."]
        let servers = root.own.filter { $0.name == "server" && $0.block != nil }
        closesAll = NginxUnknown.note(in: root, &draft)
        // Of a host that has two, the one with TLS is the one that forwards.
        let secure = servers.filter { NginxListen.all(of: $0).contains { $0.isTLS } }
        for server in secure + servers.filter({ !secure.contains($0) }) { try translate(server) }
        guard !draft.tenants.isEmpty else {
            throw UntranslatableFile("\(file): no server forwards requests by proxy_pass")
        }
        dropPlainListeners()
        for directive in root.directives("set_real_ip_from") { addProxy(directive) }
    }

    private mutating func addProxy(_ directive: NginxDirective) {
        guard AddressRange(cidr: directive.first) != nil else {
            draft.note(
                .lost,
                directive.origin,
                directive.name,
                "\(directive.first) is no block of addresses: name them"
            )
            return
        }
        draft.trustedProxies.append(DraftText(literal: directive.first, directive.origin))
    }

    /// A listener in plain text would carry tenants that were reachable by TLS only.
    private mutating func dropPlainListeners() {
        guard draft.listeners.contains(where: \.isTLS) else {
            // What cannot be had over TLS stays where it is.
            draft.redirectsToHTTPS = nil
            return
        }
        // Whoever comes there is sent on.
        if draft.redirectsToHTTPS != nil { return }
        for listener in draft.listeners where !listener.isTLS {
            guard let origin = listener.address.origin else { continue }
            draft.note(.changed, origin, "listen", "left out: all tenants would be reachable there without TLS")
        }
        draft.listeners.removeAll { !$0.isTLS }
    }

    // MARK: Servers

    private mutating func translate(_ server: NginxDirective) throws(UntranslatableFile) {
        let scope = root.inside(server.block ?? [])
        let locations = NginxLocation.all(in: scope)
        if NginxReturn.isToHTTPS(server) {
            draft.note(
                .changed,
                server.origin,
                "server",
                "clients are sent to https by gateway.redirect_https, with 308"
            )
            draft.redirectsToHTTPS = server.origin
            for listen in NginxListen.all(of: server) where !listen.isTLS { add(listen) }
            return
        }
        guard locations.contains(where: { NginxTarget.directive(in: $0.scope) != nil }) else {
            draft.note(.lost, server.origin, "server", "it forwards nothing: redirects and files are not served here")
            return
        }
        let hosts = try hosts(of: server)
        let reader = NginxServer(scope: scope, locations: locations, root: root, origin: server.origin)
        let issuers = try issuers(reader)
        let certificate = certificate(scope, server)
        let isClosed = [closesAll, certificate.isClosed, NginxUnknown.note(in: scope, &draft)].contains(true)
        var tenants = reader.tenants(&draft, backends: answers.backends)
        guard !tenants.isEmpty else {
            throw UntranslatableFile(
                server.origin,
                "no whole path is forwarded to an address: add --backend http://host:port"
            )
        }
        let base = answers.tenant ?? Draft.tenantName(host: hosts[0].text)
        for index in tenants.indices {
            tenants[index].hosts = hosts.filter { isFree($0.text, tenants[index].pathPrefix?.text) }
            guard !tenants[index].hosts.isEmpty else {
                draft.note(.lost, server.origin, "server", "its hosts have a tenant already, by TLS")
                continue
            }
            tenants[index].name = draft.freeName(base + tenants[index].name)
            tenants[index].issuers = issuers.issuers
            tenants[index].tokenPlaces = issuers.places
            tenants[index].leeway = issuers.leeway
            tenants[index].certificate = certificate.pair
            if isClosed { tenants[index].close() }
            tenants[index].tidyFields()
            draft.tenants.append(tenants[index])
        }
        for listen in NginxListen.all(of: server) { add(listen) }
    }

    private mutating func isFree(_ host: String, _ prefix: String?) -> Bool {
        taken.insert("\(host) \(prefix ?? "/")").inserted
    }

    private mutating func add(_ listen: NginxListen) {
        guard let address = listen.address else {
            draft.note(.lost, listen.origin, "listen", "only addresses and ports are listened on, over TCP")
            return
        }
        guard !draft.listeners.contains(where: { $0.address.text == address }) else { return }
        draft.listeners.append(DraftListener(DraftText(literal: address, listen.origin), isTLS: listen.isTLS))
    }

    private mutating func hosts(of server: NginxDirective) throws(UntranslatableFile) -> [DraftText] {
        var hosts: [DraftText] = []
        for directive in server.block?.filter({ $0.name == "server_name" }) ?? [] {
            for name in directive.arguments.map({ $0.lowercased() }) {
                switch name {
                case "_", "", "*": continue
                case _ where name.hasPrefix("."):
                    hosts.append(DraftText(literal: String(name.dropFirst()), directive.origin))
                    hosts.append(DraftText(literal: "*\(name)", directive.origin))
                case _ where name.hasPrefix("~") || name.dropFirst().contains("*") || name.contains("$"):
                    draft.note(
                        .lost,
                        directive.origin,
                        "server_name",
                        "\(name) is no host: write those that it stands for"
                    )
                default:
                    if name.hasPrefix("*.") {
                        draft.note(
                            .changed,
                            directive.origin,
                            "server_name",
                            "\(name) has one label more here, not several"
                        )
                    }
                    hosts.append(DraftText(literal: name, directive.origin))
                }
            }
        }
        if hosts.isEmpty { hosts = answers.hosts.map { DraftText(literal: $0) } }
        guard !hosts.isEmpty else {
            throw UntranslatableFile(server.origin, "no server_name that is a host: add --host app.example.com")
        }
        return hosts
    }

    private mutating func certificate(
        _ scope: NginxScope,
        _ server: NginxDirective
    ) -> (pair: DraftCertificate?, isClosed: Bool) {
        guard NginxListen.all(of: server).contains(where: \.isTLS) else { return (nil, false) }
        guard let chain = scope.directive("ssl_certificate"), let key = scope.directive("ssl_certificate_key"),
            !chain.first.contains("$"), !key.first.contains("$")
        else {
            draft.note(.closed, server.origin, "listen", "no ssl_certificate in a file: write \"tls\" of the tenant")
            return (nil, true)
        }
        var pair = DraftCertificate(
            chain: DraftText(literal: chain.first, chain.origin),
            key: DraftText(literal: key.first, key.origin)
        )
        guard let verify = scope.directive("ssl_verify_client"), verify.first != "off" else { return (pair, false) }
        guard verify.first == "on", let authority = scope.directive("ssl_client_certificate") else {
            draft.note(.closed, verify.origin, verify.name, "a certificate is needed of every client here, or of none")
            return (pair, true)
        }
        pair.clientAuthorities = DraftText(literal: authority.first, authority.origin)
        return (pair, false)
    }

    // MARK: Issuers

    private func issuers(
        _ server: NginxServer
    ) throws(UntranslatableFile) -> (issuers: [DraftIssuer], places: [DraftText], leeway: DraftText?) {
        let scopes = [server.scope] + server.locations.map(\.scope)
        let tokens = scopes.compactMap { $0.active("auth_jwt") }
        var places: [DraftText] = []
        for directive in tokens {
            let place = NginxTokenPlace.text(directive)
            if !places.contains(where: { $0.text == place }) {
                places.append(DraftText(literal: place, directive.origin))
            }
        }
        if places.isEmpty { places = [DraftText(literal: "bearer")] }
        let leeway = scopes.compactMap { $0.directive("auth_jwt_leeway") }.first
        // Without the directive nginx allows for none.
        let seconds = leeway.flatMap { DurationText.milliseconds($0.first) }.map { min($0 / 1000, 3600) } ?? 0
        let written = tokens.isEmpty ? nil : DraftText(literal: "\(seconds)s", leeway?.origin)
        return ([try issuer(scopes)], places, written)
    }

    private func issuer(_ scopes: [NginxScope]) throws(UntranslatableFile) -> DraftIssuer {
        let files = scopes.compactMap { $0.directive("auth_jwt_key_file") }
        guard let file = files.first else {
            if let issuer = answers.trustedIssuer { return issuer }
            throw UntranslatableFile(
                "\(self.file): nginx does not say who signs the tokens: add --provider, --issuer and --audience"
            )
        }
        if let other = files.first(where: { $0.first != file.first }) {
            throw UntranslatableFile(
                other.origin,
                "another key file than in line \(file.origin.line): put the keys in one"
            )
        }
        guard let issuer = answers.issuer, !answers.audiences.isEmpty else {
            throw UntranslatableFile(
                file.origin,
                "whose tokens the keys verify is checked here, and for whom they are: add --issuer and --audience"
            )
        }
        return DraftIssuer(
            issuer: DraftText(literal: issuer),
            audiences: answers.audiences.map { DraftText(literal: $0) },
            algorithms: answers.algorithms.isEmpty ? ["RS256"] : answers.algorithms,
            keys: .setFile(DraftText(literal: file.first, file.origin))
        )
    }
}
