/// A cluster as a backend.
enum EnvoyCluster {
    static func backend(_ cluster: SourceNode, _ draft: inout Draft) -> DraftBackend {
        var backend = DraftBackend()
        var scheme = "http"
        for entry in cluster.entries {
            switch SourceNode.snakeCase(entry.key) {
            case "name", "type", "load_assignment", "dns_lookup_family", "respect_dns_ttl", "dns_refresh_rate",
                "alt_stat_name", "common_lb_config", "upstream_connection_options", "circuit_breakers",
                "outlier_detection", "per_connection_buffer_limit_bytes", "common_http_protocol_options":
                break
            case "connect_timeout":
                backend.connectTimeout = entry.value.text.flatMap { DurationText.written($0) }
                    .map { DraftText(literal: $0, entry.origin) }
            case "lb_policy":
                if entry.value.text == "LEAST_REQUEST" {
                    backend.balance = DraftText(literal: "least_requests", entry.origin)
                }
            case "health_checks":
                let path = entry.value.items.first?["http_health_check"]?["path"]
                backend.healthPath = path.flatMap { node in node.text.map { DraftText(literal: $0, node.origin) } }
            case "http2_protocol_options": scheme = "h2c"
            case "typed_extension_protocol_options":
                let all = entry.value.entries.first?.value
                if all?[["explicit_http_config", "http2_protocol_options"]] != nil { scheme = "h2c" }
            case "transport_socket": readTLS(entry.value, &backend)
            default: draft.note(.lost, entry.origin, "cluster \(entry.key)", "it has no counterpart")
            }
        }
        if cluster["transport_socket"] != nil { scheme = "https" }
        let groups = cluster["load_assignment"]?["endpoints"]?.items ?? []
        for endpoint in groups.flatMap({ $0["lb_endpoints"]?.items ?? [] }) {
            guard let socket = endpoint["endpoint"]?["address"]?["socket_address"], let host = socket["address"]?.text,
                let port = socket["port_value"]?.number
            else {
                draft.note(.lost, endpoint.origin, "lb_endpoints", "only addresses with a port are servers here")
                continue
            }
            let name = host.contains(":") ? "[\(host)]" : host
            let weight = min(max(1, endpoint["load_balancing_weight"]?.number ?? 1), 1000)
            let url = DraftText(literal: "\(scheme)://\(name):\(port)", socket.origin)
            if !backend.servers.contains(where: { $0.url.text == url.text }) {
                backend.servers.append(DraftServer(url: url, weight: weight))
            }
        }
        return backend
    }

    private static func readTLS(_ socket: SourceNode, _ backend: inout DraftBackend) {
        guard let config = socket["typed_config"] else { return }
        func text(_ way: [String]) -> DraftText? {
            config[way].flatMap { node in node.text.map { DraftText(literal: $0, node.origin) } }
        }
        backend.serverName = text(["sni"])
        let context = config["common_tls_context"]
        backend.caFile = text(["common_tls_context", "validation_context", "trusted_ca", "filename"])
        guard let pair = context?["tls_certificates"]?.items.first, let chain = pair["certificate_chain"]?["filename"],
            let chainName = chain.text, let key = pair["private_key"]?["filename"], let keyName = key.text
        else { return }
        backend.certificateFile = DraftText(literal: chainName, chain.origin)
        backend.keyFile = DraftText(literal: keyName, key.origin)
    }
}
