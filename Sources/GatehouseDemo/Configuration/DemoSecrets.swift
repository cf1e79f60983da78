import CommandSupport
import Demo
import FoundationEssentials
import Tenants
import Verification

/// Secrets and keys of one demo run. They are only in memory; the gateway reads them as if from environment and disk.
struct DemoSecrets {
    private static let keysDirectory = "/demo-keys"
    /// The public half of ``signalKey``.
    static let signalKeyFile = "\(keysDirectory)/signals.jwks"

    let keys: SampleKeys
    let providerKeys: ProviderKeys
    let adminToken: String
    /// `GATEHOUSE_KEY`.
    let sealingKey: Secret
    /// Signs events for the apps, as a provider's.
    let signalKey: SigningKey
    /// Of the webhook for events.
    let webhookSecret: Secret
    /// Of the clients of the company's issuer.
    let companyClientSecret: String
    private let googleClientSecret: String
    /// Signs the tokens of the company's app.
    private let companyKey: SigningKey

    static func generate() throws(CommandFailure) -> DemoSecrets {
        do {
            return DemoSecrets(
                keys: try SampleKeys.generate(),
                providerKeys: try ProviderKeys.generate(),
                adminToken: RandomText.make(bytes: 24),
                sealingKey: Secret(Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()),
                signalKey: try SigningKey.generate(.p256),
                webhookSecret: Secret(RandomText.make(bytes: 24)),
                companyClientSecret: RandomText.make(bytes: 24),
                googleClientSecret: RandomText.make(bytes: 24),
                companyKey: try SigningKey.generate(.p256)
            )
        } catch {
            throw CommandFailure("no demo keys: \(error); try again")
        }
    }

    /// The environment variables of the example configuration.
    var environment: [String: String] {
        [
            "CUSTOMER_JWT_SECRET": String(decoding: keys.umuveSecret, as: UTF8.self),
            "FINANCE_JWT_SECRET": String(decoding: keys.financeSecret, as: UTF8.self),
            "GOOGLE_CLIENT_SECRET": googleClientSecret,
            "COMPANY_CLIENT_SECRET": companyClientSecret,
            "GATEHOUSE_ADMIN_TOKEN": adminToken,
            "GATEHOUSE_KEYS_DIR": Self.keysDirectory,
        ]
    }

    /// The signing keys of the tenants with an issuer, and the transmitter's public one, by path.
    var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let keys = [("chat", keys.chatKey), ("clans", keys.clansKey), (CompanyApp.name, companyKey)]
        for (tenant, key) in keys {
            guard let kid = key.thumbprint, let pem = key.privateKeyPEM else { continue }
            files["\(Self.keysDirectory)/\(tenant)/\(kid).pem"] = Array(pem.utf8)
        }
        if let jwk = signalKey.publicJWK(algorithm: .es256) {
            files[Self.signalKeyFile] = JSONWriter.bytes(of: ["keys": [.object(jwk)]] as JSONObject)
        }
        return files
    }
}
