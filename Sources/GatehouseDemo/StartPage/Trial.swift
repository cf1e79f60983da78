/// What a button of the start page does.
enum Trial: String, Sendable, CaseIterable {
    case signIn = "sign_in"
    case call
    case callWithoutToken = "call_without_token"
    case expire
    case revoke
    case signal
    case adopt
    case flood
}
