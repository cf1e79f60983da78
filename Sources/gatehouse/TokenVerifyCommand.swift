import ArgumentParser
import CommandSupport
import Verification

struct TokenVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verifies a compact token from standard input and prints its header and payload as JSON.",
        discussion: """
            Exit status 0 if the token is good; else 1, with the reason on standard error. Without --jws-only the claims \
            are checked too: exp, nbf and iat against the clock with 60 s of leeway, iss and aud as far as given. A \
            payload that is not JSON (with --jws-only) is printed as payload_base64url.
            """
    )

    @Option(help: ArgumentHelp("A JWK Set, a JWK, or a public key in PEM.", valueName: "file"))
    var jwks: String

    @Option(
        help: "The algorithms to accept, separated by commas; without it, all that the keys allow.",
        transform: SignatureAlgorithm.list
    )
    var algorithms: [SignatureAlgorithm]?

    @Flag(help: "Check the signature layer alone, no claims.")
    var jwsOnly = false

    @Option(help: "The issuer that the token must name.")
    var issuer: String?

    @Option(help: "The audience that the token must name.")
    var audience: String?

    @Argument(help: "A dash: the token is a secret, so it is read from standard input only.")
    var source: String

    func validate() throws {
        guard source == "-" else {
            throw ValidationError("give the token on standard input, with - as the argument")
        }
        guard !jwsOnly || (issuer == nil && audience == nil) else {
            throw ValidationError("--jws-only checks no claims; leave out --issuer and --audience")
        }
    }

    func run() async throws {
        let keys = try keySet()
        // More than any token may have, so that the verifier's own limit gives the reason.
        guard let input = Terminal.readInput(upTo: 1 << 20) else {
            throw CommandFailure("standard input is longer than 1 MiB; give one compact token")
        }
        let token = input.withoutTrailingNewline
        do {
            let (header, payload) = try JWS.verify(compact: token, keys: keys, algorithms: algorithms)
            if !jwsOnly { try checkClaims(of: token, header: header, payload: payload, keys: keys) }
            Terminal.print(JSONWriter.text(of: Self.report(header: header, payload: payload)))
        } catch let failure as VerificationFailure {
            throw CommandFailure(failure.summary)
        }
    }

    private func keySet() throws -> KeySet {
        let content = try KeyFiles.read(jwks, option: "--jwks")
        let isPEM = content.starts(with: "-----BEGIN ".utf8)
        do {
            return isPEM ? try KeySet(pem: content) : try KeySet(jwks: content, origin: .file)
        } catch {
            throw CommandFailure("--jwks: \(jwks): \(error)")
        }
    }

    /// The signature is verified, so the token's own `iss` may name the issuer if none was given.
    private func checkClaims(of token: [UInt8], header: JSONObject, payload: [UInt8], keys: KeySet) throws {
        guard let issuer = try issuer ?? UnverifiedToken(token).claims()["iss"]?.string else {
            throw CommandFailure("the claim iss is required and missing; --jws-only checks only the signature")
        }
        let accepted = algorithms ?? SignatureAlgorithm.allCases
        let policy = VerificationPolicy(issuers: [
            IssuerPolicy(
                issuer: issuer,
                audiences: audience.map { [$0] } ?? [],
                algorithms: accepted,
                keys: keys
            )
        ])
        _ = try TokenVerifier(policy).verify(token, at: WallClock.now())
    }

    private static func report(header: JSONObject, payload: [UInt8]) -> JSONValue {
        guard let json = try? JSONParser.parse(payload) else {
            return ["header": .object(header), "payload_base64url": .string(Base64URL.encode(payload))]
        }
        return ["header": .object(header), "payload": json]
    }
}

extension [UInt8] {
    /// Without the one newline that editors and `echo` add; nothing else is trimmed.
    var withoutTrailingNewline: [UInt8] {
        last == UInt8(ascii: "\n") ? Array(dropLast()) : self
    }
}
