import Verification

/// Private keys that an issuer is given one by one. The first signs; the others verify and are published.
public enum GivenIssuerKeys: Sendable, Equatable {
    /// By tenants.yaml, mostly from the environment: they change with it alone. Never empty.
    case inline([GivenSigningKey])
    /// By files, whose paths are resolved, each with one or more keys. Never empty.
    case files([String])
}

extension BuiltInIssuer {
    /// The files with its private keys; nil if it has none.
    public var keyFiles: KeyFileSource? {
        if let keysDirectory { return KeyFileSource(kind: .directory, path: keysDirectory, algorithms: [algorithm]) }
        guard case .files(let paths)? = givenKeys, let first = paths.first else { return nil }
        return KeyFileSource(kind: .privateKeys(others: Array(paths.dropFirst())), path: first, algorithms: [algorithm])
    }

    /// Whether the gateway makes its keys, and keeps them in the store.
    public var hasStoredKeys: Bool { keysDirectory == nil && givenKeys == nil }

    /// What its keys are told from other issuers' by: the paths of their files or directory, or their thumbprints. Empty
    /// if the gateway makes them.
    var keyOrigins: [String] {
        if let keysDirectory { return [keysDirectory] }
        switch givenKeys {
        case .files(let paths)?: return paths
        case .inline(let keys)?: return keys.map(\.thumbprint)
        case nil: return []
        }
    }
}
