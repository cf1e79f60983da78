import HTTPCore

extension GatewayResponse {
    /// The same as the tenant's rules for response headers have it.
    func shaped(by shape: AnswerShape?) -> GatewayResponse {
        guard let shape else { return self }
        var kept: [NamedValue] = []
        for field in allFields where !shape.drops(ours: field) { kept.append(field) }
        var response = GatewayResponse(status: status, body: body)
        response.hasLength = hasLength
        for field in kept {
            response.lines += field.name
            response.lines += ": ".utf8
            response.lines += field.value
            response.lines += "\r\n".utf8
        }
        response.lines += shape.lines(ours: allFields)
        return response
    }

    /// All but `Date`, `Connection` and those that frame the body.
    package var allFields: [NamedValue] {
        var all: [NamedValue] = []
        if let contentType { all.append(NamedValue("Content-Type", Array(contentType.utf8))) }
        if forbidsStoring { all.append(NamedValue("Cache-Control", Array("no-store".utf8))) }
        for field in fields { all.append(NamedValue(field.name.description, field.value)) }
        let bytes = lines.span
        var start = 0
        while let lineFeed = bytes.nextLineFeed(from: start) {
            if let field = try? FieldLine.parse(bytes, start: start, end: lineFeed - 1) {
                all.append(NamedValue(Array(lines[field.name]), Array(lines[field.value])))
            }
            start = lineFeed + 1
        }
        return all
    }
}

/// A field of a response of the gateway's own.
package struct NamedValue: Equatable {
    package let name: [UInt8]
    package let value: [UInt8]

    init(_ name: [UInt8], _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ name: String, _ value: [UInt8]) { self.init(Array(name.utf8), value) }

    /// Whether the field has this name, in any case.
    package func isNamed(_ other: some StringProtocol) -> Bool {
        name.count == other.utf8.count
            && zip(name, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension AnswerShape {
    /// Whether a field of the gateway's own gives way.
    func drops(ours field: NamedValue) -> Bool {
        // Whether a response of the gateway's own is stored is not the tenant's to say.
        if rules.changes.contains(where: { !$0.isAboutCaches && field.isNamed($0.name) }) { return true }
        guard rules.sharing != nil else { return false }
        return field.isNamed("vary") || decidesSharing && field.isSharing
    }

    /// What the response gets, each line with its CRLF.
    package func lines(ours fields: [NamedValue]) -> [UInt8] {
        var lines = rules.setLinesUnkept
        for change in rules.security where !fields.contains(where: { $0.isNamed(change.name) }) {
            if let line = change.line, isSecure || !rules.isForSecureOnly(change) { lines += line }
        }
        guard let sharing = rules.sharing else { return lines }
        if let origin { lines += sharing.answerLines[origin] }
        return lines + Self.vary(fields)
    }

    /// One field of all that the response depends on: some caches look at the first only.
    private static func vary(_ fields: [NamedValue]) -> [UInt8] {
        var members: [[UInt8]] = []
        for field in fields where field.isNamed("vary") {
            field.value.span.forEachListMember(0..<field.value.count) { members.append(Array(field.value[$0])) }
        }
        let namesOrigin = members.contains { $0 == [UInt8(ascii: "*")] || NamedValue($0, []).isNamed("origin") }
        if !namesOrigin { members.append(Array("Origin".utf8)) }
        return Array("Vary: ".utf8) + members.joined(separator: ", ".utf8) + Array("\r\n".utf8)
    }
}

extension NamedValue {
    fileprivate var isSharing: Bool {
        let prefix = "access-control-"
        return name.count > prefix.utf8.count && NamedValue(Array(name.prefix(prefix.utf8.count)), []).isNamed(prefix)
    }
}
