import Verification

extension KeyFileSource {
    /// As ``load(from:)``, with a fault that the caller turns into a message.
    func keySet(_ files: any FileReading) throws(KeyFileFault) -> KeySet {
        switch kind {
        case .directory:
            return try KeyDirectory.keySet(path, algorithms, files)
        case .privateKeys:
            let keys = try givenKeys(files)
            do throws(KeySetError) {
                return try GivenSigningKey.publicKeys(keys)
            } catch {
                throw .unusable(error)
            }
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

    /// The private keys of the files, in their order; none for another kind of source.
    private func givenKeys(_ files: any FileReading) throws(KeyFileFault) -> [GivenSigningKey] {
        guard case .privateKeys(let others) = kind, let algorithm = algorithms.first else { return [] }
        var keys: [GivenSigningKey] = []
        for path in [path] + others {
            let bytes: [UInt8]
            do throws(FileReadingError) {
                bytes = try files.read(path)
            } catch {
                throw .unreadablePart(path: path, error)
            }
            do throws(GivenKeyFault) {
                keys += try GivenSigningKey.read(bytes, algorithm)
                try GivenSigningKey.checkTogether(keys)
            } catch {
                throw .privateKey(path: path, error, algorithm)
            }
        }
        return keys
    }

    /// The private keys that an issuer signs and verifies with, of a source of ``Kind/privateKeys(others:)``; none for
    /// another kind.
    public func privateKeys(from files: any FileReading = DiskFiles()) throws(KeyFileProblem) -> [GivenSigningKey] {
        do throws(KeyFileFault) {
            return try givenKeys(files)
        } catch {
            throw KeyFileProblem(path: path, fault: error)
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
