import HTTPCore

extension GatewayResponse {
    /// The response after the tenant's response header rules.
    func shaped(by shape: AppliedHeaderRules?) -> GatewayResponse {
        guard let shape else { return self }
        let all = allFields
        var response = GatewayResponse(status: status, body: body)
        response.hasLength = hasLength
        response.upgrade = upgrade
        response.unindexedFields = all.filter { !shape.drops(ours: $0) } + shape.fields(ours: all)
        return response
    }
}

extension AppliedHeaderRules {
    /// Whether one of the gateway's own fields is removed.
    func drops(ours field: HeaderField) -> Bool {
        // Tenants do not control whether the gateway's own responses are stored.
        if rules.changes.contains(where: { !$0.isAboutCaches && field.isNamed($0.name) }) { return true }
        guard rules.sharing != nil else { return false }
        return field.isNamed("vary") || decidesSharing && field.name.lowercased().hasPrefix("access-control-")
    }

    /// The fields that the response gets.
    func fields(ours fields: [HeaderField]) -> [HeaderField] {
        var added = rules.setFieldsUnkept
        for change in rules.security where !fields.contains(where: { $0.isNamed(change.name) }) {
            if let field = change.field, isSecure || !rules.isForSecureOnly(change) { added.append(field) }
        }
        if tellsOfUpdate { added += rules.updateFields }
        guard let sharing = rules.sharing else { return added }
        if let origin { added += sharing.responseFields[origin] }
        added.append(Self.vary(fields))
        return added
    }

    /// One field for everything that the response depends on: some caches read only the first.
    private static func vary(_ fields: [HeaderField]) -> HeaderField {
        var members: [String] = []
        for field in fields where field.isNamed("vary") {
            field.value.span.forEachListMember(0..<field.value.count) { member in
                members.append(String(decoding: field.value[member], as: UTF8.self))
            }
        }
        if !members.contains(where: { ["*", "origin"].contains($0.lowercased()) }) { members.append("Origin") }
        return HeaderField("Vary", members.joined(separator: ", "))
    }
}
