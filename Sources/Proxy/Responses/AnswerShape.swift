package import HTTPCore

/// What becomes of the fields of one answer.
package struct AnswerShape {
    private static let varyHash = FieldLine.hash(ofName: "vary")
    private static let sharingPrefix: StaticString = "access-control-"

    package let rules: AnswerRules
    /// The place of the asking page's origin among those that may call.
    package let origin: Int?
    /// Whether the client speaks TLS.
    package let isSecure: Bool

    /// Whether a field of the answer gives way.
    ///
    /// - Parameter isUnkept: Whether the answer brings tokens.
    func drops(_ field: HeadField, _ bytes: Span<UInt8>, isUnkept: Bool) -> Bool {
        if rules.mask >> UInt64(field.hash & 63) & 1 == 1 {
            for change in rules.changes where change.hash == field.hash {
                if change.isAboutCaches && isUnkept { continue }
                if bytes.isFieldName(field.name, equalTo: change.name) { return true }
            }
        }
        guard rules.sharing != nil else { return false }
        if field.hash == Self.varyHash { return isVary(field, bytes) }
        return decidesSharing && isSharing(field, bytes)
    }

    /// What the answer gets, each line with its CRLF.
    package func lines(_ head: ResponseHead, _ bytes: Span<UInt8>, isUnkept: Bool) -> [UInt8] {
        var lines = isUnkept ? rules.setLinesUnkept : rules.setLines
        for change in rules.security where !says(head, bytes, change) {
            if let line = change.line, isSecure || !rules.isForSecureOnly(change) { lines += line }
        }
        guard let sharing = rules.sharing else { return lines }
        if let origin { lines += sharing.answerLines[origin] }
        addVary(head, bytes, to: &lines)
        return lines
    }

    /// Whether what the backend says of other origins is taken out.
    var decidesSharing: Bool { origin != nil || !rules.leavesOthersAlone }

    private func says(_ head: ResponseHead, _ bytes: Span<UInt8>, _ change: AnswerRules.Change) -> Bool {
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].hash == change.hash && !fields[index].isAlias {
            if bytes.isFieldName(fields[index].name, equalTo: change.name) { return true }
        }
        return false
    }

    private func isVary(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        bytes.isFieldName(field.name, "vary")
    }

    private func isSharing(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        let count = Self.sharingPrefix.utf8CodeUnitCount
        guard field.name.count > count, bytes[field.name.lowerBound] | 0x20 == UInt8(ascii: "a") else { return false }
        return bytes.isFieldName(field.name.lowerBound..<(field.name.lowerBound + count), Self.sharingPrefix)
    }

    /// One field of all that the answer depends on: some caches look at the first only.
    private func addVary(_ head: ResponseHead, _ bytes: Span<UInt8>, to lines: inout [UInt8]) {
        var namesOrigin = false
        lines += "Vary: ".utf8
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].hash == Self.varyHash && isVary(fields[index], bytes) {
            bytes.forEachListMember(fields[index].value) { member in
                namesOrigin = namesOrigin || bytes.isCaseInsensitively("origin", member) || bytes.isExactly("*", member)
                lines += bytes.copy(member)
                lines += ", ".utf8
            }
        }
        if namesOrigin {
            lines.removeLast(2)
            lines += "\r\n".utf8
        } else {
            lines += "Origin\r\n".utf8
        }
    }
}
