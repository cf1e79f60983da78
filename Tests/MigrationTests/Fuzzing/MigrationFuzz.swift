import Tenants
import TestSupport

@testable import Migration

/// Configurations of other proxies.
enum MigrationFuzz {
    static let targets = [oauth2Proxy, envoy, nginx]

    static let oauth2Proxy = target(
        "from-oauth2-proxy",
        ["oauth2-proxy.cfg", "oauth2-proxy-keycloak.cfg"],
        words: ["[", "\"", "'", "\\", "=", "--", "OAUTH2_PROXY_", "providers:\n", "!=", "${X}", "\n#"]
    ) { try OAuth2ProxyTranslation.draft([$0], MigrationSample.answers) }

    static let envoy = target(
        "from-envoy",
        ["envoy.yaml"],
        words: ["&a ", "*a", "<<: ", "match: ", "requires: ", "prefix: ", "[", "{", "\t", "safe_regex: ", "- "]
    ) { try EnvoyTranslation.draft($0, MigrationSample.answers) }

    static let nginx = target(
        "from-nginx",
        ["nginx.conf"],
        words: [
            "{", "}", ";", "location ", "~ ", "^~ ", "= ", "'", "${", "include a;", "server ", "proxy_pass http://a;",
        ]
    ) { try NginxTranslation.draft($0, MigrationSample.answers) { [SourceFile(name: $0, text: "a b;")] } }

    /// What comes out is YAML, whatever goes in, and is read without an accident.
    private static func target(
        _ name: String,
        _ samples: [String],
        words: [String],
        _ translate: @escaping @Sendable (SourceFile) throws -> Draft
    ) -> FuzzTarget {
        FuzzTarget(name, texts: samples.compactMap { try? MigrationSample.text($0) }, words: words, quickInputs: 150) {
            bytes in
            let file = SourceFile(name: "f", text: String(decoding: bytes, as: UTF8.self))
            let draft: Draft
            do {
                draft = try translate(file)
            } catch is UntranslatableFile {
                return false
            }
            let text = DraftWriter.text(of: draft)
            try hold((try? SourceNode.read(text, file: "t")) != nil, "what is written is no YAML")
            try hold(!draft.tenants.isEmpty, "a draft without tenants")
            let again = try translate(file)
            try hold(again == draft, "translated another way again")
            let result = draft.read()
            try hold((result.configuration == nil) == !result.errors.isEmpty, "neither a configuration nor a mistake")
            return true
        }
    }
}
