package import HTTPCore

/// The field that a proof comes in (RFC 9449 section 4.1).
package enum ProofField {
    package enum Finding: Equatable {
        case one(Range<Int>)
        /// Which of them counts, nobody can say (section 4.3, check 1).
        case several
    }

    package static let name = "DPoP"
    private static let hash = FieldLine.hash(ofName: name)

    package static func find(_ head: RequestHead, _ bytes: Span<UInt8>) -> Finding? {
        var found: Finding?
        let fields = head.fields
        for index in 0..<head.fieldCount where fields[index].hash == hash {
            guard bytes.isFieldName(fields[index].name, equalTo: name) else { continue }
            guard found == nil else { return .several }
            found = .one(fields[index].value)
        }
        return found
    }
}

/// The field that brings a client a nonce for its next proof (RFC 9449 section 8.1).
package enum ProofNonceField {
    /// With what lets a script read it. It comes with answers that must not be kept (section 8.2).
    package static func fields(_ nonce: String) -> [HeaderField] {
        [
            HeaderField("DPoP-Nonce", nonce),
            HeaderField("Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate"),
        ]
    }

    /// For a response of the backend, which must not be kept from now on.
    package static func unkeptFields(_ nonce: String) -> [HeaderField] { [.noStore] + fields(nonce) }
}
