/// An issuer that is known by name.
enum IssuerPreset: Sendable, Equatable {
    case apple, google
    /// The tenant's own.
    case builtIn
    /// The ``ProviderPreset`` of this name.
    case provider(String)
}

extension IssuerPreset: RawRepresentable, CaseIterable {
    static let allCases: [IssuerPreset] = [.apple, .google, .builtIn] + ProviderPreset.all.map { .provider($0.name) }

    init?(rawValue: String) {
        guard let preset = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = preset
    }

    var rawValue: String {
        switch self {
        case .apple: "apple"
        case .google: "google"
        case .builtIn: "built-in"
        case .provider(let name): name
        }
    }
}
