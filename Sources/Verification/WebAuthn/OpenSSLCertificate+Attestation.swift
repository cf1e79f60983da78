import COpenSSL

/// The certificate of an authenticator's model (WebAuthn Level 2 section 8.2.1).
extension OpenSSLCertificate {
    /// The extension that names the model, `id-fido-gen-ce-aaguid`.
    private static let modelExtension = "1.3.6.1.4.1.45724.1.1.4"
    private static let attestationUnit = "Authenticator Attestation"

    /// Whether it was made for attestation, and for nothing else: version 3, of that unit, with country, organization
    /// and name, and no authority.
    var isAuthenticators: Bool {
        let isFit =
            X509_get_version(pointer) == 2 && subjectText(NID_organizationalUnitName) == Self.attestationUnit
            && [NID_countryName, NID_organizationName, NID_commonName].allSatisfy { subjectText($0)?.isEmpty == false }
            && X509_check_ca(pointer) == 0 && X509_get_ext_by_NID(pointer, NID_basic_constraints, -1) >= 0
        // What it lacks is left in a queue of this thread, which is not read.
        ERR_clear_error()
        return isFit
    }

    /// Whether it is for this model, or names none.
    func isFor(model: [UInt8]) -> Bool {
        guard let object = OBJ_txt2obj(Self.modelExtension, 1) else { return false }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(pointer, object, -1)
        guard index >= 0 else { return true }
        // An OCTET STRING of sixteen bytes in that of the extension, which must not be critical.
        return X509_EXTENSION_get_critical(X509_get_ext(pointer, index)) == 0
            && content(ofExtension: index) == [0x04, 0x10] + model
    }

    /// An attribute of the subject; nil if there is none, or if it is longer than any that is asked for.
    private func subjectText(_ attribute: Int32) -> String? {
        guard let subject = X509_get_subject_name(pointer) else { return nil }
        var text = [CChar](repeating: 0, count: 256)
        let length = X509_NAME_get_text_by_NID(subject, attribute, &text, Int32(clamping: text.count))
        guard (0..<Int32(text.count)).contains(length) else { return nil }
        return String(decoding: text.prefix(Int(length)).map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }
}
