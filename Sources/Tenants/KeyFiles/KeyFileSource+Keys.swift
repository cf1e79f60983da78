import Verification

extension KeyFileSource {
    /// As ``load(from:)``, with a fault that the caller turns into a message.
    func keySet(_ files: any FileReading) throws(KeyFileFault) -> KeySet {
        switch kind {
        case .directory:
            return try KeyDirectory.keySet(path, algorithms, files)
        case .secret:
            return try Self.keySet(secret: secret(files), algorithms)
        case .publicKey, .keySet:
            let bytes = try content(files)
            let keys: KeySet
            do throws(KeySetError) {
                keys = kind == .publicKey ? try KeySet(pem: bytes, algorithms: algorithms) : try KeySet(jwks: bytes)
            } catch {
                throw .unusable(error)
            }
            let missing = algorithms.filter { algorithm in
                !keys.keys.contains { $0.algorithms.contains(algorithm) }
            }
            guard missing.isEmpty else { throw .keysMissing(missing) }
            return keys
        }
    }

    /// The content of a file with a secret.
    func secret(_ files: any FileReading) throws(KeyFileFault) -> [UInt8] {
        var bytes = try content(files)
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }

    /// A secret as a key set; it must be as long as the hash of each algorithm (RFC 7518 section 3.2).
    static func keySet(secret: [UInt8], _ algorithms: [SignatureAlgorithm]) throws(KeyFileFault) -> KeySet {
        guard !secret.isEmpty else { throw .empty }
        for (algorithm, needed) in [(SignatureAlgorithm.hs512, 64), (.hs384, 48), (.hs256, 32)]
        where algorithms.contains(algorithm) && secret.count < needed {
            throw .secretTooShort(bytes: secret.count, algorithm, needed: needed)
        }
        do throws(KeySetError) {
            return try KeySet(secret: secret, algorithms: algorithms)
        } catch {
            throw .unusableSecret(error)
        }
    }

    private func content(_ files: any FileReading) throws(KeyFileFault) -> [UInt8] {
        do throws(FileReadingError) {
            return try files.read(path)
        } catch {
            throw .unreadable(error)
        }
    }
}
