import IdentityProvider
import SharedState
import Tenants
import Verification

/// The key sets that were fetched, by their source.
actor FetchedKeySets {
    private var known: [RemoteKeySource: KeySet] = [:]

    func use(_ keys: KeySet?, from source: RemoteKeySource) { known[source] = keys }

    func keys(from source: RemoteKeySource) -> KeySet? { known[source] }
}

/// The keys of the issuers' clients: those at their addresses as last fetched, and those in files as last read.
actor ClientKeyRepository: ClientKeySets {
    private let fetched: FetchedKeySets
    private let fetchKeys: @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult
    private var files: [KeyFileSource: KeySet] = [:]

    init(
        _ fetched: FetchedKeySets,
        fetchKeys: @escaping @Sendable (RemoteKeySource, KeySetReason) async -> KeySetResult
    ) {
        self.fetched = fetched
        self.fetchKeys = fetchKeys
    }

    /// A file was read again. Those that no client has do not count here.
    func use(_ keys: KeySet, from file: KeyFileSource) {
        if files[file] != nil { files[file] = keys }
    }

    func keys(of source: IssuerClient.KeysSource) async -> KeySet? {
        switch source {
        case .remote(let remote): return await fetched.keys(from: remote)
        case .file(let file):
            if let keys = files[file] { return keys }
            guard let keys = try? file.load() else { return nil }
            files[file] = keys
            return keys
        }
    }

    func fetch(_ source: IssuerClient.KeysSource, isMissing: Bool) async -> Bool {
        guard case .remote(let remote) = source else { return false }
        return await fetchKeys(remote, isMissing ? .missing : .unknownKey) == .decideAgain
    }
}
