/// A filter chain with its HTTP connection manager.
struct EnvoyConnectionManager {
    enum Certificate {
        case none
        case translated(DraftCertificate)
        case untranslated
    }

    let config: SourceNode
    let chain: SourceNode

    func certificate(_ draft: inout Draft) -> Certificate {
        guard let socket = chain["transport_socket"] else { return .none }
        let context = socket["typed_config"]?["common_tls_context"]
        let pair = context?["tls_certificates"]?.items.first
        guard let chainFile = pair?["certificate_chain"]?["filename"], let chainName = chainFile.text,
            let keyFile = pair?["private_key"]?["filename"], let keyName = keyFile.text
        else {
            draft.note(
                .closed,
                socket.origin,
                "transport_socket",
                "no certificate in files: write \"tls\" of the tenant"
            )
            return .untranslated
        }
        var certificate = DraftCertificate(
            chain: DraftText(literal: chainName, chainFile.origin),
            key: DraftText(literal: keyName, keyFile.origin)
        )
        let validation = context?["validation_context"]
        let authority = validation?["trusted_ca"]?["filename"]
        if let needed = socket["typed_config"]?["require_client_certificate"], needed.isTrue {
            guard let authority, let name = authority.text else {
                draft.note(.closed, needed.origin, "require_client_certificate", "no trusted_ca in a file")
                return .untranslated
            }
            certificate.clientAuthorities = DraftText(literal: name, authority.origin)
        }
        for entry in validation?.entries ?? [] where SourceNode.snakeCase(entry.key) != "trusted_ca" {
            draft.note(
                .closed,
                entry.origin,
                entry.key,
                "clients' certificates are checked against client_ca_file only"
            )
            return .untranslated
        }
        return .translated(certificate)
    }
}
