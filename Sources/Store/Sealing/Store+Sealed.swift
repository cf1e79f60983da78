extension Store {
    /// - Returns: The value set by ``setSealed(_:for:lifetime:with:)``; nil if there is none, or it has expired.
    ///
    /// A value opened with an older key is sealed again with the first one, unless it was changed meanwhile.
    public func sealedValue(for key: StoreKey, with sealer: Sealer) async throws(StoreError) -> [UInt8]? {
        guard let sealed = try await value(for: key) else { return nil }
        let (value, isOutdated) = try sealer.open(sealed, for: key)
        if isOutdated {
            let anew = try sealer.seal(value, for: key)
            // The value was read: failing to write it is no reason to withhold it. The next read tries again.
            _ = try? await replace(sealed, with: anew, for: key)
        }
        return value
    }

    /// - Parameter lifetime: Nil to keep it until it is removed.
    public func setSealed(
        _ value: [UInt8],
        for key: StoreKey,
        lifetime: Duration?,
        with sealer: Sealer
    ) async throws(StoreError) {
        try await set(sealer.seal(value, for: key), for: key, lifetime: lifetime)
    }

    /// Checks that `GATEHOUSE_KEY` is the key of the store's secrets. The first start leaves a value for the check.
    ///
    /// - Throws: ``StoreError/sealBroken(_:)`` with a remedy if it is a different key.
    public func verifySealing(with sealer: Sealer) async throws(StoreError) {
        let key = StoreKey.sealCheck
        do throws(StoreError) {
            if try await sealedValue(for: key, with: sealer) != nil { return }
            // Of two that start at the same time, the second checks its key with the first one's value.
            let sealed = try sealer.seal(Array("gatehouse".utf8), for: key)
            if try await !replace(nil, with: sealed, for: key) { _ = try await sealedValue(for: key, with: sealer) }
        } catch .sealBroken(_) {
            throw .sealBroken(
                """
                GATEHOUSE_KEY is not the key that this store's secrets are sealed with. Start with that key; to \
                change it, give both, the new one first: NEW,OLD. If it is lost, remove \(key) from the store and \
                with it give up what is sealed there
                """
            )
        }
    }
}

extension StoreKey {
    /// Sealed by the first gateway that used the store.
    static let sealCheck = StoreKey(tenant: nil, kind: "seal", name: "check")
}
