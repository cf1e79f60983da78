import Verification

/// Reads `keys_dir`: every key file of it as one set.
enum KeyDirectory {
    /// The sorted names of the key files; empty if the directory does not exist, since keys may be made later.
    static func names(_ directory: String, _ files: any FileReading) throws(FileReadingError) -> [String] {
        do throws(FileReadingError) {
            return try files.list(directory).filter { KeyFile.kind(of: $0) != nil }.sorted()
        } catch .notFound {
            return []
        } catch {
            throw error
        }
    }

    static func path(_ name: String, in directory: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// - Returns: The empty set where there is no key file.
    static func keySet(
        _ directory: String,
        _ algorithms: [SignatureAlgorithm],
        _ files: any FileReading
    ) throws(KeyFileFault) -> KeySet {
        let names: [String]
        do throws(FileReadingError) {
            names = try Self.names(directory, files)
        } catch {
            throw .unreadable(error)
        }
        guard !names.isEmpty else { return .empty }
        let keys = try keySet(names, in: directory, files)
        for algorithm in algorithms where !keys.keys.contains(where: { $0.algorithms.contains(algorithm) }) {
            throw .keyMissing(algorithm)
        }
        return keys
    }

    /// Whether both are the same key with the same `kid`: a public half may have been published first.
    private static func isSameKey(_ one: JSONValue, _ other: JSONValue) -> Bool {
        ["kid", "kty", "crv", "n", "e", "x", "y"].allSatisfy { name in
            let (left, right) = (one.object?[name]?.string, other.object?[name]?.string)
            return left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
        } && one.object?["kid"] != nil
    }

    private static func keySet(
        _ names: [String],
        in directory: String,
        _ files: any FileReading
    ) throws(KeyFileFault) -> KeySet {
        if let only = names.first, names.count == 1, let keys = KeyFile.publicKeys(only, in: directory, files) {
            return keys
        }
        var members: [JSONValue] = []
        var bad: [KeyFileFault.BadFile] = []
        for name in names {
            do throws(KeyFile.Problem) {
                for member in try KeyFile.read(name, in: directory, files)
                where !members.contains(where: { isSameKey($0, member) }) {
                    members.append(member)
                }
            } catch {
                bad.append(KeyFileFault.BadFile(name: name, problem: error.description))
            }
        }
        guard bad.isEmpty else { throw .badFiles(bad) }
        do throws(KeySetError) {
            return try KeySet(jwks: JSONWriter.bytes(of: ["keys": .array(members)] as JSONObject), origin: .file)
        } catch {
            throw .unusable(error)
        }
    }
}
