import Verification

/// Asks that a refresh token which came in a cookie is replaced there when the provider replaces it: the old one is
/// worth nothing then, and to present it again may cost the session.
struct RotationCheck {
    /// The cookie of the refresh token.
    let cookie: String
    let call: RefreshCall
    let delivery: RefreshDelivery
    /// The section `refresh`.
    let node: DocumentNode

    func check(_ session: inout ReadingSession) {
        guard let pointer = call.refreshToken, let deliver = node.entry(Schema.refresh.deliver) else { return }
        let place = shown(pointer)
        if let delivered = delivery.cookies.first(where: { $0.name == cookie }) {
            guard delivered.value != pointer, let value = deliver.value[Schema.delivery.cookies]?[named: cookie] else {
                return
            }
            session.findings.error(
                value.place,
                "this cookie holds the refresh token, but gets something else: write \(place)"
            )
        } else if isKnown(pointer) {
            session.findings.error(
                deliver.keyPlace,
                "each refresh replaces the refresh token, but the client never gets the new one: add "
                    + "the cookie that \"from\" names to \"cookies\", with \(place)"
            )
        } else {
            session.findings.warning(
                deliver.keyPlace,
                "if a refresh replaces the refresh token, the client never gets the new one: add "
                    + "the cookie that \"from\" names to \"cookies\", with \(place)"
            )
        }
    }

    /// The pointer, unless some of it is from the environment.
    private func shown(_ pointer: JSONPointer) -> String {
        let isHidden = node[Schema.refresh.call]?[Schema.refreshCall.refreshToken]?.scalar?.variables.isEmpty == false
        return isHidden ? "what \"refresh_token\" of \"call\" says" : "\"\(pointer.text)\""
    }

    /// Whether the file itself says that there is a new one: the pointer that is taken for granted may lead to nothing.
    private func isKnown(_ pointer: JSONPointer) -> Bool {
        if case .builtIn = call.strategy { return true }
        return node[Schema.refresh.call]?[Schema.refreshCall.refreshToken] != nil
            || delivery.cookies.contains { $0.value == pointer }
    }
}
