import ArgumentParser
import CommandSupport
import Verification

struct TokenMintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mint",
        abstract: "Signs a token for tests and load runs, and prints it.",
        discussion: "Adds iat, and exp with --expires; claims that are given stay as they are."
    )

    @Option(help: ArgumentHelp("A private key in PEM, or for HS256, HS384, HS512 a raw secret.", valueName: "file"))
    var key: String

    @Option(help: "The algorithm to sign with.")
    var algorithm: SignatureAlgorithm

    @Option(help: ArgumentHelp("The claims as a JSON object.", valueName: "json"))
    var claims: String

    @Option(help: "The key ID of the header; without it, a private key's RFC 7638 thumbprint, or none.")
    var kid: String?

    @Option(help: "The type that the header says; tokens of built-in issuers must be at+jwt (RFC 9068).")
    var type = "at+jwt"

    @Option(help: ArgumentHelp("How long it is good from now: 30s, 5m, 1h, 7d.", valueName: "duration"))
    var expires: DurationArgument?

    func validate() throws {
        guard claimsObject != nil else {
            throw ValidationError("--claims: not a JSON object; write for example '{\"sub\": \"alice\"}'")
        }
    }

    func run() async throws {
        guard var claims = claimsObject else { throw CommandFailure("--claims: not a JSON object") }
        let now = Int(WallClock.now().seconds)
        if claims["iat"] == nil { claims["iat"] = .number(JSONNumber(now)) }
        if let expires, claims["exp"] == nil { claims["exp"] = .number(JSONNumber(now + expires.seconds)) }
        do {
            let key = try signingKey()
            let signer = try TokenSigner(key, algorithm: algorithm, keyID: kid ?? key.thumbprint)
            Terminal.print(try signer.sign(claims, header: ["typ": .string(type)]))
        } catch let error as SigningError {
            throw CommandFailure("--key: \(self.key): \(error)")
        }
    }

    private var claimsObject: JSONObject? {
        try? JSONParser.parse(Array(claims.utf8)).object
    }

    private func signingKey() throws -> SigningKey {
        let content = try KeyFiles.read(key, option: "--key")
        guard algorithm.isSymmetric else { return try SigningKey(pem: content) }
        return SigningKey(secret: content.withoutTrailingNewline)
    }
}
