/// Translates Envoy's static configuration: its HTTP connection managers with `jwt_authn` and `rbac`.
package struct EnvoyTranslation {
    let answers: InitAnswers
    let root: SourceNode
    var draft = Draft()
    /// Whether the listener that is being read had TLS, and has no certificate here.
    private var lacksCertificate = false

    package static func draft(_ file: SourceFile, _ answers: InitAnswers) throws(UntranslatableFile) -> Draft {
        let root = try SourceNode.read(file.text, file: file.name)
        var translation = EnvoyTranslation(answers: answers, root: root)
        try translation.run()
        return translation.draft
    }

    private init(answers: InitAnswers, root: SourceNode) {
        self.answers = answers
        self.root = root
    }

    private mutating func run() throws(UntranslatableFile) {
        draft.heading = ["Written by gatehouse init out of \(root.file). Every key: docs/configuration.md."]
        guard let resources = root["static_resources"], let listeners = resources["listeners"] else {
            throw UntranslatableFile("\(root.file): no static_resources with listeners, which alone are translated")
        }
        for entry in root.entries { note(entry) }
        for listener in listeners.items { try translate(listener) }
        guard !draft.tenants.isEmpty else {
            throw UntranslatableFile("\(root.file): no listener forwards HTTP requests to a cluster")
        }
        dropPlainListeners()
    }

    private mutating func note(_ entry: (key: String, origin: Origin, value: SourceNode)) {
        switch SourceNode.snakeCase(entry.key) {
        case "static_resources", "node", "stats_config", "stats_sinks", "stats_flush_interval": break
        case "admin": draft.note(.changed, entry.origin, entry.key, "see gateway.admin: /healthz, /readyz and /metrics")
        case "dynamic_resources":
            draft.note(.lost, entry.origin, entry.key, "what a management server sends is not in this file")
        default: draft.note(.lost, entry.origin, entry.key, "it has no counterpart")
        }
    }

    /// A listener in plain text would carry tenants that were reachable by TLS only.
    private mutating func dropPlainListeners() {
        guard draft.listeners.contains(where: \.isTLS) else { return }
        for listener in draft.listeners where !listener.isTLS {
            guard let origin = listener.address.origin else { continue }
            draft.note(.changed, origin, "address", "left out: all tenants would be reachable there without TLS")
        }
        draft.listeners.removeAll { !$0.isTLS }
    }

    // MARK: Listeners

    private mutating func translate(_ listener: SourceNode) throws(UntranslatableFile) {
        let chains = listener["filter_chains"]?.items ?? []
        lacksCertificate = false
        var isUnknown = false
        for entry in listener.entries {
            switch SourceNode.snakeCase(entry.key) {
            case "name", "address", "filter_chains", "stat_prefix", "per_connection_buffer_limit_bytes",
                "traffic_direction", "access_log", "socket_options", "tcp_backlog_size", "enable_reuse_port":
                break
            case "listener_filters": isUnknown = noteListenerFilters(entry.value) || isUnknown
            default:
                draft.note(.closed, entry.origin, entry.key, "init does not know what it does to connections")
                isUnknown = true
            }
        }
        let count = draft.tenants.count
        for chain in chains {
            if chains.count > 1, let match = chain["filter_chain_match"] {
                draft.note(.changed, match.origin, "filter_chain_match", "tenants are chosen by their hosts")
            }
            for filter in chain["filters"]?.items ?? [] {
                guard let config = filter["typed_config"],
                    config["http_filters"] != nil || config["route_config"] != nil
                else {
                    draft.note(
                        .closed,
                        filter.origin,
                        filter["name"]?.text ?? "filters",
                        "init does not know this filter"
                    )
                    isUnknown = true
                    continue
                }
                let manager = EnvoyConnectionManager(config: config, chain: chain)
                try add(manager, isClosed: isUnknown)
            }
        }
        if isUnknown {
            for index in draft.tenants.indices.dropFirst(count) { draft.tenants[index].close() }
        }
        guard draft.tenants.count > count else { return }
        addListener(listener["address"], isTLS: draft.tenants.dropFirst(count).contains { $0.certificate != nil })
    }

    private mutating func noteListenerFilters(_ list: SourceNode) -> Bool {
        var isUnknown = false
        for filter in list.items {
            let name = filter["name"]?.text ?? ""
            if name.hasSuffix("tls_inspector") || name.hasSuffix("http_inspector") { continue }
            if name.hasSuffix("proxy_protocol") {
                draft.note(
                    .changed,
                    filter.origin,
                    name,
                    "the PROXY protocol is read from gateway.trusted_proxies: name them"
                )
                continue
            }
            draft.note(.closed, filter.origin, name, "init does not know this filter")
            isUnknown = true
        }
        return isUnknown
    }

    private mutating func addListener(_ address: SourceNode?, isTLS: Bool) {
        guard let socket = address?["socket_address"], let host = socket["address"]?.text,
            let port = socket["port_value"]?.number
        else { return }
        // What was encrypted is not to be had from other machines in plain text.
        let reachable = lacksCertificate ? "127.0.0.1" : host
        let text = reachable.contains(":") ? "[\(reachable)]:\(port)" : "\(reachable):\(port)"
        guard !draft.listeners.contains(where: { $0.address.text == text }) else { return }
        draft.listeners.append(DraftListener(DraftText(literal: text, socket.origin), isTLS: isTLS))
    }

    // MARK: Connection managers

    private mutating func add(_ manager: EnvoyConnectionManager, isClosed: Bool) throws(UntranslatableFile) {
        var guarding = EnvoyGuards()
        for filter in manager.config["http_filters"]?.items ?? [] { try guarding.read(filter, &draft, answers) }
        guarding.closesAll = noteManager(manager.config) || guarding.closesAll
        let certificate = manager.certificate(&draft)
        if case .untranslated = certificate {
            guarding.closesAll = true
            lacksCertificate = true
        }
        guard let routes = manager.config["route_config"] else {
            let origin = manager.config.origin
            throw UntranslatableFile(
                origin,
                "no route_config: routes that a management server sends are not in this file"
            )
        }
        let first = draft.tenants.count
        for host in routes["virtual_hosts"]?.items ?? [] {
            var translation = EnvoyVirtualHost(host: host, guarding: guarding, answers: answers)
            try translation.add(to: &draft, clusters: root["static_resources"]?["clusters"]?.items ?? [])
        }
        if case .translated(let pair) = certificate {
            for index in draft.tenants.indices.dropFirst(first) { draft.tenants[index].certificate = pair }
        }
    }

    /// - Returns: Whether a setting is unknown.
    private mutating func noteManager(_ config: SourceNode) -> Bool {
        let harmless: Set<String> = [
            "@type", "stat_prefix", "codec_type", "route_config", "http_filters", "use_remote_address",
            "normalize_path",
            "merge_slashes", "path_with_escaped_slashes_action", "common_http_protocol_options",
            "http_protocol_options",
            "http2_protocol_options", "server_name", "generate_request_id", "preserve_external_request_id",
            "access_log",
            "stream_idle_timeout", "request_timeout", "request_headers_timeout", "drain_timeout",
            "delayed_close_timeout",
            "max_request_headers_kb", "upgrade_configs", "server_header_transformation",
            "always_set_request_id_in_response",
            "strip_any_host_port", "strip_matching_host_port", "skip_xff_append", "via", "http3_protocol_options",
        ]
        var isUnknown = false
        for entry in config.entries where !harmless.contains(SourceNode.snakeCase(entry.key)) {
            switch SourceNode.snakeCase(entry.key) {
            case "xff_num_trusted_hops", "original_ip_detection_extensions":
                draft.note(.changed, entry.origin, entry.key, "name the proxies in front in gateway.trusted_proxies")
            case "tracing": draft.note(.changed, entry.origin, entry.key, "see gateway.tracing")
            case "local_reply_config": draft.note(.lost, entry.origin, entry.key, "refusals are problem documents")
            default:
                draft.note(.closed, entry.origin, entry.key, "init does not know it")
                isUnknown = true
            }
        }
        return isUnknown
    }
}
