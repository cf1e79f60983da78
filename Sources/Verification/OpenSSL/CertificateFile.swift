public import Time

/// The certificates of a PEM file, checked before they are used.
public struct CertificateFile: Sendable, Equatable {
    /// A subject alternative name (RFC 5280 section 4.2.1.6) of the kinds that a host is compared with.
    public enum Name: Sendable, Hashable {
        /// As written; its first label may be `*`.
        case dns(String)
        /// Four or sixteen bytes.
        case address([UInt8])
    }

    /// The first certificate's alternative names. Its common name is ignored (RFC 9525 section 2).
    public let names: [Name]
    /// When the first certificate becomes and stops being valid.
    public let validity: ClosedRange<UnixTime>
    /// In DER, the leaf first if it is a chain.
    private let certificates: [[UInt8]]

    /// - Parameter pem: Blocks `CERTIFICATE`; others are ignored, so that a key may be in the same file.
    public init(pem: [UInt8]) throws(CertificateFileError) {
        guard let blocks = PEM.blocks(pem) else { throw .notPEM }
        let certificates = blocks.filter { ["CERTIFICATE", "X509 CERTIFICATE"].contains($0.label) }.map(\.content)
        guard !certificates.isEmpty else { throw .noCertificate }
        var loaded: [OpenSSLCertificate] = []
        for (index, bytes) in certificates.enumerated() {
            guard let certificate = OpenSSLCertificate(bytes) else { throw .malformedCertificate(index: index) }
            loaded.append(certificate)
        }
        guard let leaf = loaded.first, let validity = leaf.validity, let names = leaf.names else {
            throw .malformedCertificate(index: 0)
        }
        self.certificates = certificates
        self.validity = validity
        self.names = names
    }

    public var count: Int { certificates.count }

    /// The index of the first certificate that the key belongs to; nil if there is none.
    public func index(of key: PrivateKeyFile) -> Int? {
        guard let key = OpenSSLKey(privateKey: key.content) else { return nil }
        return certificates.firstIndex { OpenSSLCertificate($0)?.belongs(to: key) == true }
    }
}

/// The private key of a PEM file. Its description shows nothing.
public struct PrivateKeyFile: Sendable, CustomStringConvertible, CustomReflectable {
    fileprivate let content: [UInt8]

    /// - Parameter pem: A block of PKCS#8 (`PRIVATE KEY`), or of the older `RSA PRIVATE KEY` and `EC PRIVATE KEY`; not
    ///   encrypted, since there is no way to enter a password.
    public init(pem: [UInt8]) throws(CertificateFileError) {
        let labels = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"]
        // The older form says so in a header (RFC 1421 section 4.6.1.1), which is not base64.
        guard !String(decoding: pem, as: UTF8.self).contains("Proc-Type: 4,ENCRYPTED") else { throw .encryptedKey }
        guard let blocks = PEM.blocks(pem) else { throw .notPEM }
        guard let block = blocks.first(where: { labels.contains($0.label) }) else {
            throw blocks.contains { $0.label == "ENCRYPTED PRIVATE KEY" } ? .encryptedKey : .noKey
        }
        guard OpenSSLKey(privateKey: block.content) != nil else { throw .malformedKey }
        content = block.content
    }

    public var description: String { "private key" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a file of certificates or a private key cannot be used.
public enum CertificateFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A block is broken, or the bytes are not text.
    case notPEM
    case noCertificate
    /// The certificate at this index, counted from zero, is malformed.
    case malformedCertificate(index: Int)
    case noKey
    case encryptedKey
    case malformedKey

    public var description: String {
        switch self {
        case .notPEM: "it is not PEM, or a block of it is broken"
        case .noCertificate: "no certificate in PEM"
        case .malformedCertificate(let index): "its certificate \(index + 1) is malformed"
        case .noKey: "no private key in PEM"
        case .encryptedKey: "the key is encrypted; decrypt it (openssl pkey) and keep the file to yourself (mode 0600)"
        case .malformedKey: "the key is malformed, or of a kind that is not known"
        }
    }
}

/// `GeneralNames` of RFC 5280 section 4.2.1.6 in DER: a sequence of names, each tagged with its kind.
enum GeneralNames {
    private static let sequence: UInt8 = 0x30
    private static let dnsName: UInt8 = 0x82
    private static let ipAddress: UInt8 = 0x87

    /// - Returns: Nil for anything malformed; names of other kinds are ignored.
    static func read(_ der: [UInt8]) -> [CertificateFile.Name]? {
        var rest = der[...]
        guard let outer = element(&rest), outer.tag == sequence, rest.isEmpty else { return nil }
        var names: [CertificateFile.Name] = []
        rest = outer.content
        while !rest.isEmpty {
            guard let name = element(&rest) else { return nil }
            switch name.tag {
            case dnsName:
                guard name.content.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
                names.append(.dns(String(decoding: name.content, as: UTF8.self)))
            case ipAddress:
                guard [4, 16].contains(name.content.count) else { return nil }
                names.append(.address(Array(name.content)))
            default: break
            }
        }
        return names
    }

    /// Takes one element with a definite length from the front (X.690 sections 8.1 and 10.1).
    private static func element(_ rest: inout ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), tag & 0x1f != 0x1f, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let size = length & 0x7f
            // Two bytes of length are 64 KiB of names, more than any certificate has.
            guard (1...2).contains(size), rest.count >= size else { return nil }
            length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        guard rest.count >= length else { return nil }
        defer { rest = rest.dropFirst(length) }
        return (tag, rest.prefix(length))
    }
}
