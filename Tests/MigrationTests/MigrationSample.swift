import Foundation
import Tenants
import Testing

@testable import Migration

/// A configuration of another proxy among the samples, and what it becomes.
struct MigrationSample: Sendable, CustomStringConvertible {
    var name: String
    var translate: @Sendable (SourceFile) throws -> Draft

    static let answers: InitAnswers = {
        var answers = InitAnswers()
        answers.provider = ProviderKind(rawValue: "auth0")
        answers.issuer = "https://shop.auth0.com/"
        answers.audiences = ["shop-api"]
        answers.hosts = ["app.example.com"]
        answers.backends = ["http://127.0.0.1:9001"]
        return answers
    }()

    static let all = [
        MigrationSample(name: "oauth2-proxy.cfg") { try OAuth2ProxyTranslation.draft([$0], InitAnswers()) },
        MigrationSample(name: "oauth2-proxy-keycloak.cfg") { try OAuth2ProxyTranslation.draft([$0], InitAnswers()) },
        MigrationSample(name: "envoy.yaml") { try EnvoyTranslation.draft($0, InitAnswers()) },
        MigrationSample(name: "nginx.conf") { try NginxTranslation.draft($0, answers) },
    ]

    var description: String { name }

    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("Samples")

    static func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
    }

    func draft() throws -> Draft {
        try translate(SourceFile(name: name, text: try Self.text(name)))
    }

    /// What it is expected to become. `MIGRATION_SAMPLES=write` writes what it becomes now, to be looked at.
    func expected(_ written: String) throws -> String {
        let file = Self.folder.appendingPathComponent("\(name).tenants.yaml")
        if ProcessInfo.processInfo.environment["MIGRATION_SAMPLES"] == "write" {
            try Data(written.utf8).write(to: file)
        }
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }
}

extension Draft {
    /// The draft as the gateway reads it, with a secret in each variable and any certificate that it names.
    func read() -> ReadResult {
        let text = DraftWriter.text(of: self)
        let secrets = Dictionary(
            uniqueKeysWithValues: ["CLIENT_SECRET", "CLIENT_ID"].map { ($0, String(repeating: "s", count: 64)) }
        ).merging(["GATEHOUSE_STORE": "redis://127.0.0.1:6379/0"]) { first, _ in first }
        return TenantsFile.read(text: Array(text.utf8), path: "tenants.yaml", environment: secrets, files: NoFiles())
    }

    func tenant(_ name: String) throws -> DraftTenant {
        try #require(tenants.first { $0.name == name }, "of \(tenants.map(\.name))")
    }

    /// The notes, as they are told.
    func told(_ name: String) -> [String] { notes.filter { $0.name == name }.map(\.description) }
}

extension DraftTenant {
    /// What `access` decides of a request.
    func decision(_ method: String, _ path: String) -> DraftDecision {
        for rule in rules where rule.methods.isEmpty || rule.methods.contains(method) {
            guard let pattern = try? PathPattern(rule.path), pattern.matches(Array(path.utf8).span) else { continue }
            return rule.decision
        }
        return .anyCaller
    }
}

/// A disk with a list of addresses alone.
struct NoFiles: FileReading {
    func read(_ path: String) throws(FileReadingError) -> [UInt8] {
        guard path == "/etc/emails" else { throw .notFound }
        return Array("alice@example.com\n".utf8)
    }
    func list(_ directory: String) throws(FileReadingError) -> [String] { throw .notFound }
}
