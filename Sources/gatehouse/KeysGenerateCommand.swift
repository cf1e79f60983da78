import ArgumentParser
import CommandSupport
import Verification

struct KeysGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Makes a private key and prints its public JWK.",
        discussion: """
            The key is written as unencrypted PKCS#8 PEM, mode 0600, to OUT/KID.pem; KID is its RFC 7638 thumbprint \
            unless it is given. RSA keys have 2048 bits.
            """
    )

    @Option(help: "The signature algorithm: RS256, RS384, RS512, PS256 to PS512, ES256 to ES512, or EdDSA.")
    var algorithm: SignatureAlgorithm

    @Option(help: ArgumentHelp("The directory to write to; made if it is missing.", valueName: "directory"))
    var out: String

    @Option(help: "The key ID, and the file's name: letters, digits, \"-\", \"_\" and \".\", a letter or digit first.")
    var kid: String?

    func validate() throws {
        guard let kid else { return }
        let isName = kid.utf8.allSatisfy { byte in
            Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains(byte)
        }
        let startsWell = kid.first.map { $0.isLetter || $0.isNumber } ?? false
        guard isName, startsWell, kid.utf8.count <= 128 else {
            throw ValidationError("--kid: up to 128 letters, digits, \"-\", \"_\" and \".\", a letter or digit first")
        }
    }

    func run() async throws {
        let key: SigningKey
        do {
            key = try SigningKey.generate(try Self.kind(for: algorithm))
        } catch let error as SigningError {
            throw CommandFailure("\(error); try again")
        }
        guard let kid = kid ?? key.thumbprint, let pem = key.privateKeyPEM,
            var jwk = key.publicJWK(algorithm: algorithm)
        else {
            throw CommandFailure("the key could not be stored; try again")
        }
        jwk["kid"] = .string(kid)
        try KeyFiles.makeDirectory(out)
        let path = "\(out)/\(kid).pem"
        try KeyFiles.createPrivate(path, content: pem)
        Terminal.printError("wrote \(path)")
        Terminal.print(JSONWriter.text(of: .object(jwk)))
    }

    private static func kind(for algorithm: SignatureAlgorithm) throws -> SigningKey.Kind {
        guard let kind = SigningKey.Kind(for: algorithm) else {
            throw ValidationError(
                "\(algorithm.rawValue) needs a secret, not a key pair: openssl rand -base64 48 > secret"
            )
        }
        return kind
    }
}
