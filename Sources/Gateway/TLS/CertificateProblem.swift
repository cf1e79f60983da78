/// Why a certificate, a key or a CA cannot be used: which file, what is wrong with it, and what to do.
struct CertificateProblem: Error, Equatable, CustomStringConvertible {
    var file: String
    var problem: String
    var remedy: String

    var description: String { "\(file): \(problem); \(remedy)" }
}
