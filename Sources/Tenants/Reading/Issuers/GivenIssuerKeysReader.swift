import ConfigurationText
import Verification

/// Reads an issuer's private keys where they are given one by one: `key`, `key_file` or `key_files`.
struct GivenIssuerKeysReader {
    let node: DocumentNode
    let algorithm: SignatureAlgorithm

    /// - Returns: nil if there are none, or they cannot be used, which was reported.
    func read(_ session: ReadingSession) -> GivenIssuerKeys? {
        let given = [
            node.entry(Schema.issuer.keysDir), node.entry(Schema.issuer.key), node.entry(Schema.issuer.keyFile),
            node.entry(Schema.issuer.keyFiles),
        ].compactMap(\.self)
        if given.count > 1 {
            return session.at(given[1]).refuse(
                "this issuer has keys from \"\(given[0].key)\" and from \"\(given[1].key)\": keep one of them"
            )
        }
        if let inline = node[Schema.issuer.key] { return readInline(inline, session) }
        if let file = node[Schema.issuer.keyFile] { return readFiles([file], Schema.issuer.keyFile.name, session) }
        guard let files = node[Schema.issuer.keyFiles]?.items, !files.isEmpty else { return nil }
        return readFiles(files, Schema.issuer.keyFiles.name, session)
    }

    private func readInline(_ value: DocumentNode, _ session: ReadingSession) -> GivenIssuerKeys? {
        guard let scalar = value.scalar else { return nil }
        guard !scalar.text.isEmpty else {
            return session.at(value).refuse("\"\(Schema.issuer.key.name)\" is empty: fill it in")
        }
        let source = scalar.variables.isEmpty ? "" : " (from \(scalar.variables.joined(separator: ", ")))"
        do throws(GivenKeyFault) {
            return .inline(try GivenSigningKey.read(Array(scalar.text.utf8), algorithm))
        } catch {
            return session.at(value).refuse(error.message("\"\(Schema.issuer.key.name)\"\(source)", algorithm))
        }
    }

    private func readFiles(_ values: [DocumentNode], _ name: String, _ session: ReadingSession) -> GivenIssuerKeys? {
        var keys: [GivenSigningKey] = []
        var paths: [String] = []
        for value in values {
            guard let bytes = session.content(of: value, name: "\"\(name)\""), let scalar = value.scalar else {
                continue
            }
            do throws(GivenKeyFault) {
                let together = keys + (try GivenSigningKey.read(bytes, algorithm))
                try GivenSigningKey.checkTogether(together)
                keys = together
                paths.append(session.resolve(scalar.text))
            } catch {
                session.at(value).error(error.message("\"\(name)\"", algorithm))
            }
        }
        return paths.count == values.count ? .files(paths) : nil
    }
}
