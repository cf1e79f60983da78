import ArgumentParser
import CommandSupport
import Verification

struct TokenProveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Signs a DPoP proof (RFC 9449) for one request, and prints it.",
        discussion: """
            It goes into the header DPoP, beside "Authorization: DPoP TOKEN". Each request needs a proof of its own, made \
            not long before. What its token must be bound to, --thumbprint says.
            """
    )

    @Option(help: ArgumentHelp("The client's private key in PEM.", valueName: "file"))
    var key: String

    @Option(help: "The algorithm to sign with.")
    var algorithm = SignatureAlgorithm.es256

    @Option(help: "The method of the request.")
    var method = "GET"

    @Option(help: ArgumentHelp("The URL of the request; its query is left out.", valueName: "url"))
    var url: String?

    @Option(help: ArgumentHelp("A dash: the token that goes along is read from standard input.", valueName: "-"))
    var token: String?

    @Option(help: "What the server gave in DPoP-Nonce.")
    var nonce: String?

    @Flag(help: "Prints the thumbprint of the key (RFC 7638), for a token's cnf.jkt, instead of a proof.")
    var thumbprint = false

    func validate() throws {
        guard thumbprint || url != nil else { throw ValidationError("--url: give the URL of the request") }
        guard token == nil || token == "-" else {
            throw ValidationError("--token: the token is a secret: give it on standard input, with - here")
        }
    }

    func run() async throws {
        do {
            let key = try SigningKey(pem: try KeyFiles.read(key, option: "--key"))
            guard !thumbprint else { return Terminal.print(key.thumbprint ?? "") }
            let target = (url ?? "").prefix { $0 != "?" && $0 != "#" }
            let proof = try ProofSigner(key, algorithm: algorithm).sign(
                method: method,
                target: String(target),
                id: Base64URL.encode((0..<16).map { _ in .random(in: .min ... .max) }),
                at: WallClock.now(),
                accessToken: try accessToken(),
                nonce: nonce
            )
            Terminal.print(proof)
        } catch let error as SigningError {
            throw CommandFailure("--key: \(self.key): \(error)")
        }
    }

    private func accessToken() throws -> [UInt8]? {
        guard token != nil else { return nil }
        guard let line = readLine(), !line.isEmpty else { throw CommandFailure("--token: nothing on standard input") }
        return Array(line.utf8)
    }
}
