import ConfigurationText
import Verification

/// Checks that the cookie of a refresh token gets the new one when the provider rotates it: presenting the old one again
/// may end the session.
struct RotationCheck {
    /// The cookie of the refresh token.
    let cookie: String
    let call: RefreshCall
    let delivery: RefreshDelivery
    /// `refresh`.
    let node: DocumentNode

    func check(_ session: ReadingSession) {
        guard let pointer = call.refreshToken, let deliver = node.entry(Schema.refresh.deliver) else { return }
        let token = shown(pointer)
        if let delivered = delivery.cookies.first(where: { $0.name == cookie }) {
            guard delivered.value != pointer, let value = deliver.value[Schema.delivery.cookies]?[named: cookie] else {
                return
            }
            session.at(value).error("this cookie holds the refresh token, but gets something else: write \(token)")
        } else if isKnown(pointer) {
            session.at(deliver).error(
                "each refresh replaces the refresh token, but the client never gets the new one: add the cookie that "
                    + "\"from\" names to \"cookies\", with \(token)"
            )
        } else {
            session.at(deliver).warning(
                "if a refresh replaces the refresh token, the client never gets the new one: add the cookie that "
                    + "\"from\" names to \"cookies\", with \(token)"
            )
        }
    }

    /// The pointer, unless it has a value from the environment.
    private func shown(_ pointer: JSONPointer) -> String {
        let isHidden = node[Schema.refresh.call]?[Schema.refreshCall.refreshToken]?.scalar?.variables.isEmpty == false
        return isHidden ? "what \"refresh_token\" of \"call\" says" : "\"\(pointer.text)\""
    }

    /// Whether the file says that there is a new refresh token: the implied pointer may not exist in the response.
    private func isKnown(_ pointer: JSONPointer) -> Bool {
        if case .builtIn = call.strategy { return true }
        return node[Schema.refresh.call]?[Schema.refreshCall.refreshToken] != nil
            || delivery.cookies.contains { $0.value == pointer }
    }
}
