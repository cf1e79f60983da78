import Verification

/// What the script of a page with passkeys posts, each part in base64url.
enum PasskeyFields {
    /// - Returns: Nil if a part is missing or malformed.
    static func registration(_ fields: FormFields) -> PasskeyRegistration? {
        guard let clientData = bytes(fields["client_data"]), let attestation = bytes(fields["attestation"]) else {
            return nil
        }
        return PasskeyRegistration(clientData: clientData, attestation: attestation)
    }

    /// - Returns: Nil if a part is missing or malformed. A credential that signs in without a name has a user handle.
    static func assertion(_ fields: FormFields) -> (claim: PasskeyClaim, assertion: PasskeyAssertion)? {
        guard let id = bytes(fields["id"]), let userHandle = bytes(fields["user_handle"]),
            let clientData = bytes(fields["client_data"]),
            let authenticatorData = bytes(fields["authenticator_data"]), let signature = bytes(fields["signature"])
        else { return nil }
        return (
            PasskeyClaim(id: id, userHandle: userHandle),
            PasskeyAssertion(clientData: clientData, authenticatorData: authenticatorData, signature: signature)
        )
    }

    static func bytes(_ field: String?) -> [UInt8]? { field.flatMap { Base64URL.decode($0) } }
}
