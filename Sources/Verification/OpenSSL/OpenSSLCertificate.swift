import COpenSSL
import Time

/// Owns one `X509`. Not `Sendable`: other threads make another from the same bytes.
final class OpenSSLCertificate {
    let pointer: OpaquePointer

    /// From a DER Certificate that fills all of `bytes`.
    init?(_ bytes: [UInt8]) {
        let read: OpaquePointer? = bytes.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            guard let certificate = d2i_X509(nil, &next, buffer.count) else { return nil }
            guard let next, next == buffer.baseAddress?.advanced(by: buffer.count) else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        guard let read else {
            // A failed read leaves its reasons in a queue of this thread, which is not read.
            ERR_clear_error()
            return nil
        }
        pointer = read
    }

    deinit {
        X509_free(pointer)
    }

    func belongs(to key: OpenSSLKey) -> Bool {
        guard let own = X509_get0_pubkey(pointer) else {
            ERR_clear_error()
            return false
        }
        let isSame = EVP_PKEY_eq(own, key.pointer) == 1
        if !isSame { ERR_clear_error() }
        return isSame
    }

    /// Nil if it ends before it begins, or a time is malformed.
    var validity: ClosedRange<UnixTime>? {
        guard let start = Self.unixTime(X509_get0_notBefore(pointer)),
            let end = Self.unixTime(X509_get0_notAfter(pointer)), start <= end
        else { return nil }
        return start...end
    }

    private static func unixTime(_ time: UnsafePointer<ASN1_TIME>?) -> UnixTime? {
        guard let time, let epoch = ASN1_TIME_set(nil, 0) else { return nil }
        defer { ASN1_TIME_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
            ERR_clear_error()
            return nil
        }
        return UnixTime(Double(days) * 86_400 + Double(seconds))
    }

    /// The alternative names that are DNS names or addresses; nil if the extension is malformed.
    var names: [CertificateFile.Name]? {
        let index = X509_get_ext_by_NID(pointer, NID_subject_alt_name, -1)
        guard index >= 0 else { return [] }
        return content(ofExtension: index).flatMap(GeneralNames.read)
    }

    /// What is in the OCTET STRING of an extension (RFC 5280 section 4.2).
    func content(ofExtension index: Int32) -> [UInt8]? {
        guard let value = X509_EXTENSION_get_data(X509_get_ext(pointer, index)),
            let bytes = ASN1_STRING_get0_data(value)
        else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(ASN1_STRING_length(value))))
    }

    /// Its public key.
    var key: OpenSSLKey? { OpenSSLKey(ofCertificate: pointer) }
}
