/// Why a certificate, a key or a CA cannot be used: the file, the problem and the remedy.
package struct CertificateProblem: Error, Equatable, CustomStringConvertible {
    package var file: String
    package var problem: String
    package var remedy: String

    package init(
        file: String,
        problem: String,
        remedy: String
    ) {
        self.file = file
        self.problem = problem
        self.remedy = remedy
    }

    package var description: String { "\(file): \(problem); \(remedy)" }
}
