import Testing
import Verification

extension PretendFiles {
    /// The files that documents and the examples of keys name.
    static let documented: PretendFiles? = try? makeDocumented()

    private static func makeDocumented() throws -> PretendFiles {
        let keys = [try SigningKey.generate(.p256), try SigningKey.generate(.rsa(bits: 2048))]
        let next = try SigningKey.generate(.rsa(bits: 2048))
        let members = keys.compactMap { $0.publicJWK() }.map(JSONValue.object)
        var files = [
            "jwt.secret": String(repeating: "s", count: 64),
            "webhook.secret": String(repeating: "w", count: 32),
            "/run/secrets/issuer.pem": try #require(keys.last?.privateKeyPEM),
            "issuer-2027.pem": try #require(next.privateKeyPEM),
            "issuer.pem": try #require(keys.last?.publicKeyPEM),
            "jwks.json": JSONWriter.text(of: .object(["keys": .array(members)])),
            "allowed.txt": "alice@example.com\n",
            "apple.p8": try #require(keys.first?.privateKeyPEM),
            "keys/shop/es256.pem": try #require(keys.first?.privateKeyPEM),
            "keys/shop/rs256.pem": try #require(keys.last?.privateKeyPEM),
        ]
        files["refusal.json"] = #"{ "error": "{code}", "message": "{detail}", "id": "{request_id}" }"#
        files["refusal.html"] = "<!doctype html><title>{title}</title><p>{detail}</p>"
        files["logo.svg"] = "<svg xmlns='http://www.w3.org/2000/svg'/>"
        files["texts.yaml"] = "de: { sign_in: { title: 'Willkommen bei {}' } }"
        for authority in ["tls/ca.pem", "tls/clients.pem", "tls/operators.pem"] {
            files[authority] = Certificates.files["address.pem"]
        }
        for certificate in ["tls/chain.pem", "tls/gateway.pem", "tls/admin.pem", "tls/client.pem"] {
            files[certificate] = Certificates.files["shop.pem"]
        }
        for key in ["tls/key.pem", "tls/gateway-key.pem", "tls/admin-key.pem", "tls/client-key.pem"] {
            files[key] = Certificates.files["shop.key"]
        }
        return PretendFiles(files)
    }
}
