import ConfigurationText
import Verification

/// Reads `refusals`, with the files that it names.
enum RefusalsReader {
    private static let longestText = 1000
    /// Of a host or path that is no tenant's.
    private static let hostCode = "unknown_host"

    static func read(_ node: DocumentNode, _ session: ReadingSession) -> RefusalRules? {
        guard case .map = node.content else { return nil }
        return RefusalRules(
            json: template(Schema.refusals.json, .json, node, session),
            html: template(Schema.refusals.html, .html, node, session),
            texts: texts(node[Schema.refusals.texts], session)
        )
    }

    // MARK: Templates

    private static func template(
        _ key: Key<String?>,
        _ format: RefusalTemplate.Format,
        _ section: DocumentNode,
        _ session: ReadingSession
    ) -> RefusalTemplate? {
        guard let node = section[key], let scalar = node.filled else { return nil }
        let place = session.at(node)
        let name = "\"\(key.name)\""
        let bytes: [UInt8]
        do throws(FileReadingError) {
            bytes = try session.files.read(session.resolve(scalar.text), limit: RefusalTemplate.maximumLength)
        } catch {
            return place.refuse("\(name) cannot be read, \(scalar.shown): \(error)")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return place.refuse("\(name) is not UTF-8, \(scalar.shown): save the file in that encoding")
        }
        do throws(RefusalTemplate.Fault) {
            let template = try RefusalTemplate(bytes, format)
            if format == .json, let fault = fault(ofJSON: template) {
                return place.refuse("\(name) is no JSON once it is filled in, \(scalar.shown): \(fault)")
            }
            return template
        } catch {
            switch error {
            case .unknownPlaceholder(let unknown, let offset):
                let (line, column) = position(of: offset, in: bytes)
                return place.refuse(
                    "\(name) has an unknown placeholder in line \(line), column \(column) of the file, "
                        + "{\(unknown.prefix(40))}: \(remedy(for: unknown))"
                )
            }
        }
    }

    private static func remedy(for unknown: String) -> String {
        let known = RefusalTemplate.Placeholder.allCases.map(\.rawValue)
        if let nearest = EditDistance.nearest(to: unknown, among: known) { return "did you mean {\(nearest)}?" }
        let names = known.map { "{\($0)}" }.joined(separator: ", ")
        return "write one of \(names), or a space after a brace that is meant as such"
    }

    /// What keeps the body from being JSON, whatever it is filled with; nil if it is.
    private static func fault(ofJSON template: RefusalTemplate) -> String? {
        let plain = RefusalTemplate.Values(
            code: "missing_token",
            title: "Title",
            detail: "Detail",
            status: 401,
            requestID: "00000000-0000-0000-0000-000000000000",
            upgradeURL: "https://apps.example.com/"
        )
        var special = plain
        special.title = "\"'\\/<>&{}\u{7}\u{e4}"
        special.detail = special.title
        for values in [plain, special] {
            let body = template.filled(with: values)
            do throws(JSONParsingError) {
                _ = try JSONParser.parse(body)
            } catch {
                return description(error, of: body)
            }
        }
        return nil
    }

    private static func description(_ error: JSONParsingError, of body: [UInt8]) -> String {
        switch error {
        case .malformed(let offset):
            let (line, _) = position(of: min(offset, body.count), in: body)
            return "look at line \(line), and put placeholders but {status} between quotes"
        case .duplicateMember: return "a name is there twice in one object, leave one out"
        case .tooDeep: return "it is nested deeper than \(JSONParser.maximumDepth) levels, make it flatter"
        case .notUnicode: return "an escape names half of a character, write the whole"
        case .numberOutOfRange: return "a number is too large, write it as a text"
        }
    }

    private static func position(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes[..<offset]
        let newline = UInt8(ascii: "\n")
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        return (before.count { $0 == newline } + 1, String(decoding: bytes[start..<offset], as: UTF8.self).count + 1)
    }

    // MARK: Texts

    private static func texts(_ section: DocumentNode?, _ session: ReadingSession) -> [String: RefusalRules.Text] {
        var texts: [String: RefusalRules.Text] = [:]
        for entry in section?.entries ?? [] {
            guard RefusalRules.codes.contains(entry.key) else {
                let nearest = EditDistance.nearest(to: entry.key, among: RefusalRules.codes)
                let remedy = nearest.map { "did you mean \($0)?" } ?? "write one of \(list(RefusalRules.codes))"
                session.at(entry).error("no refusal has the code \"\(entry.key.prefix(40))\": \(remedy)")
                continue
            }
            let title = text(Schema.refusalText.title, entry.value, session)
            let detail = text(Schema.refusalText.detail, entry.value, session)
            if case .map(let keys) = entry.value.content, keys.isEmpty {
                session.at(entry).error("there is no text for \"\(entry.key)\": add \"title\" or \"detail\"")
            }
            if entry.key == hostCode {
                session.at(entry).warning(
                    "what no tenant is found for has the gateway's own text, so that \"\(hostCode)\" here is only for 421 and "
                        + "for paths below /.gatehouse: leave it out unless it is meant for these, or write no_route for "
                        + "what no route is for"
                )
            }
            texts[entry.key] = RefusalRules.Text(title: title, detail: detail)
        }
        return texts
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    private static func text(_ key: Key<String?>, _ section: DocumentNode, _ session: ReadingSession) -> String? {
        guard let node = section[key], let scalar = node.filled else { return nil }
        guard scalar.text.utf8.count <= longestText else {
            return session.at(node).refuse(
                "\"\(key.name)\" has \(scalar.text.utf8.count) bytes: write at most \(longestText)"
            )
        }
        return scalar.text
    }
}
