package import HTTPCore

/// Response header rules of a tenant, applied to one response.
package struct AppliedHeaderRules {
    private static let varyHash = FieldLine.hash(ofName: "vary")
    private static let sharingPrefix: StaticString = "access-control-"
    private static let varyByOrigin = HeaderField("Vary", "Origin")

    package let rules: ResponseHeaderRules
    /// The index of the page's origin among the allowed ones.
    package let origin: Int?
    /// Whether the client speaks TLS.
    package let isSecure: Bool
    /// Whether the client's app is told of a newer version.
    package var tellsOfUpdate = false

    /// Whether a field of the response is removed.
    ///
    /// - Parameter isUnkept: Whether the response delivers tokens.
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

    /// The fields that the response gets.
    package func fields(_ head: ResponseHead, _ bytes: Span<UInt8>, isUnkept: Bool) -> [HeaderField] {
        var added = isUnkept ? rules.setFieldsUnkept : rules.setFields
        for change in rules.security where !says(head, bytes, change) {
            if let field = change.field, isSecure || !rules.isForSecureOnly(change) { added.append(field) }
        }
        if tellsOfUpdate { added += rules.updateFields }
        guard let sharing = rules.sharing else { return added }
        if let origin { added += sharing.responseFields[origin] }
        added.append(vary(head, bytes))
        return added
    }

    /// Whether the backend's CORS fields are removed.
    var decidesSharing: Bool { origin != nil || !rules.leavesOthersAlone }

    private func says(_ head: ResponseHead, _ bytes: Span<UInt8>, _ change: ResponseHeaderRules.Change) -> Bool {
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

    /// One field for everything that the response depends on: some caches read only the first.
    private func vary(_ head: ResponseHead, _ bytes: Span<UInt8>) -> HeaderField {
        var namesOrigin = false
        var value: [UInt8] = []
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].hash == Self.varyHash && isVary(fields[index], bytes) {
            bytes.forEachListMember(fields[index].value) { member in
                namesOrigin = namesOrigin || bytes.isCaseInsensitively("origin", member) || bytes.isExactly("*", member)
                if !value.isEmpty { value += ", ".utf8 }
                value += bytes.copy(member)
            }
        }
        guard !value.isEmpty else { return Self.varyByOrigin }
        if !namesOrigin { value += ", Origin".utf8 }
        return HeaderField("Vary", value)
    }
}
