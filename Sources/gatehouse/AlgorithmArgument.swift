public import ArgumentParser
public import Verification

extension SignatureAlgorithm: ExpressibleByArgument {
    /// The algorithms that `argument` names, separated by commas.
    static func list(_ argument: String) throws -> [SignatureAlgorithm] {
        try argument.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let algorithm = SignatureAlgorithm(rawValue: String(name)) else {
                let known = allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("\"\(name)\" is no algorithm; there are \(known)")
            }
            return algorithm
        }
    }
}
