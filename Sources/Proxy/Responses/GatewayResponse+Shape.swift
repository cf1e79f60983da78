import HTTPCore

extension GatewayResponse {
    /// The same as the tenant's rules for response headers have it.
    func shaped(by shape: AnswerShape?) -> GatewayResponse {
        guard let shape else { return self }
        let all = allFields
        var response = GatewayResponse(status: status, body: body)
        response.hasLength = hasLength
        response.unindexedFields = all.filter { !shape.drops(ours: $0) } + shape.fields(ours: all)
        return response
    }
}

extension AnswerShape {
    /// Whether a field of the gateway's own gives way.
    func drops(ours field: HeaderField) -> Bool {
        // Whether a response of the gateway's own is stored is not the tenant's to say.
        if rules.changes.contains(where: { !$0.isAboutCaches && field.isNamed($0.name) }) { return true }
        guard rules.sharing != nil else { return false }
        return field.isNamed("vary") || decidesSharing && field.name.lowercased().hasPrefix("access-control-")
    }

    /// What the response gets.
    func fields(ours fields: [HeaderField]) -> [HeaderField] {
        var added = rules.setFieldsUnkept
        for change in rules.security where !fields.contains(where: { $0.isNamed(change.name) }) {
            if let field = change.field, isSecure || !rules.isForSecureOnly(change) { added.append(field) }
        }
        guard let sharing = rules.sharing else { return added }
        if let origin { added += sharing.answerFields[origin] }
        added.append(Self.vary(fields))
        return added
    }

    /// One field of all that the response depends on: some caches look at the first only.
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
