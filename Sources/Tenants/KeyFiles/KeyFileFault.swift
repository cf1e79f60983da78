import Verification

/// What is wrong with a file or directory of keys, or with a secret.
enum KeyFileFault: Error, Sendable, Equatable {
    case unreadable(FileReadingError)
    case empty
    case secretTooShort(bytes: Int, SignatureAlgorithm, needed: Int)
    case unusableSecret(KeySetError)
    case unusable(KeySetError)
    /// The file has no key for these.
    case keysMissing([SignatureAlgorithm])
    /// The directory has no key for this.
    case keyMissing(SignatureAlgorithm)
    /// Files of the directory, each with what is wrong with it.
    case badFiles([BadFile])
    /// One of several files cannot be read.
    case unreadablePart(path: String, FileReadingError)
    /// A file with private keys of an issuer, and the issuer's algorithm.
    case privateKey(path: String, GivenKeyFault, SignatureAlgorithm)

    struct BadFile: Sendable, Equatable {
        var name: String
        var problem: String
    }

    /// - Parameters:
    ///   - subject: The key of tenants.yaml, or the file.
    ///   - shown: The key's value, after a comma.
    ///   - variable: The environment variable that an empty secret came from.
    func messages(subject: String, shown: String = "", variable: String? = nil) -> [String] {
        let advice = "generate one with \"openssl rand -base64 48\""
        switch self {
        case .unreadable(let error):
            return ["\(subject) cannot be read\(shown): \(error)"]
        case .empty:
            return ["\(subject) is empty\(variable.map { ", as \($0) is" } ?? ""): \(advice)"]
        case .secretTooShort(let bytes, let algorithm, let needed):
            return [
                "\(subject) has \(bytes) bytes, \(algorithm.rawValue) needs at least \(needed) "
                    + "(RFC 7518 section 3.2): \(advice)"
            ]
        case .unusableSecret(let error):
            return ["\(subject) cannot be used: \(error)"]
        case .unusable(let error):
            return ["\(subject) has no key that can be used\(shown): \(error)"]
        case .keysMissing(let algorithms):
            return algorithms.map {
                "\(subject) has no key for \($0.rawValue): leave the algorithm out, or add its key"
            }
        case .keyMissing(let algorithm):
            return ["\(subject) has no key for \(algorithm.rawValue): add one, or change \"algorithm\""]
        case .unreadablePart(let path, let error):
            return ["\"\(path)\" cannot be read: \(error)"]
        case .privateKey(let path, let fault, let algorithm):
            return [fault.message("\"\(path)\"", algorithm)]
        case .badFiles(let files):
            return files.map { "\(subject) holds \"\($0.name)\": \($0.problem)" }
        }
    }
}
