import Foundation
import Time
import Verification

/// A client with a key that its tokens are bound to.
struct ProvingClient {
    let key: SigningKey
    private let signer: ProofSigner

    init() throws {
        key = try SigningKey.generate(.ed25519)
        signer = try ProofSigner(key, algorithm: .edDSA)
    }

    /// `cnf` for its tokens.
    var confirmation: JSONValue { ["jkt": .string(key.thumbprint ?? "")] }

    /// A new proof.
    func proof(_ token: String, _ url: String, method: String = "GET", nonce: String? = nil) throws -> String {
        try signer.sign(
            method: method,
            target: url,
            id: UUID().uuidString,
            at: UnixTime(Date().timeIntervalSince1970),
            accessToken: Array(token.utf8),
            nonce: nonce
        )
    }

    /// The fields of a request with a token and a new proof.
    func fields(_ token: String, _ url: String, method: String = "GET", nonce: String? = nil) throws -> [String] {
        ["Authorization: DPoP \(token)", "DPoP: \(try proof(token, url, method: method, nonce: nonce))"]
    }
}

/// The nonce in a response.
func offeredNonce(_ response: RawResponse) throws -> String {
    guard let nonce = response.fields["DPoP-Nonce"].first else { throw Malformed("no DPoP-Nonce") }
    return nonce
}
