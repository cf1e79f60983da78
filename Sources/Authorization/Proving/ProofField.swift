package import HTTPCore

/// The field of a DPoP proof (RFC 9449 section 4.1).
package enum ProofField {
    package enum Finding: Equatable {
        case one(Range<Int>)
        /// It is ambiguous which of them counts (section 4.3, check 1).
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

/// The field with a nonce for the client's next proof (RFC 9449 section 8.1).
package enum ProofNonceField {
    /// Includes the field that lets a script read it, for responses that must not be stored (section 8.2).
    package static func fields(_ nonce: String) -> [HeaderField] {
        [
            HeaderField("DPoP-Nonce", nonce),
            HeaderField("Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate"),
        ]
    }

    /// For a response of the backend, which must not be stored any more.
    package static func unkeptFields(_ nonce: String) -> [HeaderField] { [.noStore] + fields(nonce) }
}
