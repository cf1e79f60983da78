extension SignatureAlgorithm {
    /// The algorithm of exactly this name; case matters (RFC 7515 section 4.1.1).
    init?(exactName name: String) {
        guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else { return nil }
        self = algorithm
    }
}
