import Store
import Testing
import Time
import Verification

@testable import SharedState

/// Tokens of pretend sessions. A session's access tokens are numbered, and so are its refresh tokens.
enum RefreshTokens {
    static let now = UnixTime(1_800_000_000)
    static let issuer = "https://backend.test"
    private static let secret = Array("a secret of the refresh tests that is long enough for HS256".utf8)

    enum Naming: Sendable {
        case sid, jti
    }

    static func access(
        _ session: String,
        _ number: Int = 1,
        naming: Naming = .sid,
        subject: String = "alice",
        expiresAt: UnixTime = now + 3600
    ) -> [UInt8] {
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string(subject), "number": .number(JSONNumber(number)),
            "session": .string(session), "iat": .number(JSONNumber(Int(now.seconds) - 1000 + number)),
        ]
        claims["exp"] = JSONNumber(expiresAt.seconds).map(JSONValue.number)
        switch naming {
        case .sid: claims["sid"] = .string(session)
        case .jti: claims["jti"] = .string("\(session)-\(number)")
        }
        let token = try? TokenSigner(SigningKey(secret: secret), algorithm: .hs256).sign(claims)
        return Array((token ?? "").utf8)
    }

    static func refresh(_ session: String, _ number: Int = 1) -> [UInt8] { Array("refresh.\(session).\(number)".utf8) }

    static func verify(_ token: [UInt8], at now: UnixTime) -> Result<Principal, VerificationFailure> {
        do throws(VerificationFailure) {
            return .success(try principal(token, at: now))
        } catch {
            return .failure(error)
        }
    }

    /// What an expired token was verified as, too.
    static func oldPrincipal(_ token: [UInt8]) throws -> Principal { try principal(token, at: now - 500) }

    private static func principal(_ token: [UInt8], at now: UnixTime) throws(VerificationFailure) -> Principal {
        let keys = try? KeySet(secret: secret, algorithms: [.hs256])
        let policy = VerificationPolicy(issuers: [IssuerPolicy(issuer: issuer, algorithms: [.hs256], keys: keys)])
        return try TokenVerifier(policy).verify(token, at: now)
    }

    /// What a token is called that is revoked alone.
    static func name(_ principal: Principal) -> String {
        principal.tokenID ?? Hexadecimal.text(principal.signingInputSHA256 ?? [])
    }

    /// The number in an access token.
    static func number(_ principal: Principal) -> Int { Int(principal.claims["number"]?.double ?? 0) }
    static func session(_ principal: Principal) -> String { principal.claims["session"]?.string ?? "" }
}
