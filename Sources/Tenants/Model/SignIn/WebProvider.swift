/// The providers that `sign_in.web` names: those with sections of their own.
enum WebProvider: String, Sendable, CaseIterable {
    case google
    case apple

    var provider: SignIn.Provider {
        switch self {
        case .google: .google
        case .apple: .apple
        }
    }
}
