import Tenants
import Verification

/// Forms the request of a strategy.
enum RefreshRequestForm {
    /// - Parameters:
    ///   - call: Any but ``RefreshCall/Strategy/builtIn``, which makes no request.
    ///   - target: A path on the backend, or a full URL.
    /// - Throws: ``RefreshFailure/noRefreshToken`` if the strategy needs one, and there is none or an invalid one.
    static func request(
        _ call: RefreshCall,
        _ credential: RefreshCredential,
        to target: String
    ) throws(RefreshFailure) -> RefreshHTTPRequest {
        var request = RefreshHTTPRequest(
            method: call.method,
            target: target,
            host: credential.host,
            fields: [("Accept", Array("application/json".utf8)), ("User-Agent", Array("gatehouse".utf8))],
            body: []
        )
        switch call.strategy {
        case .bearer:
            request.fields.append(("Authorization", Array("Bearer ".utf8) + credential.accessToken))
        case .refreshTokenJSON:
            let token = String(decoding: try refreshToken(credential), as: UTF8.self)
            request.fields.append(("Content-Type", Array("application/json".utf8)))
            request.body = JSONWriter.bytes(of: JSONObject(dictionaryLiteral: ("refresh_token", .string(token))))
        case .oauth2(let clientID, let clientSecret):
            let token = try refreshToken(credential)
            let clientID = clientID.map { Array($0.utf8) }
            var form = [("grant_type", Array("refresh_token".utf8)), ("refresh_token", token)]
            if let clientSecret {
                request.fields.append(("Authorization", basic(clientID ?? [], clientSecret.bytes)))
            } else if let clientID {
                form.append(("client_id", clientID))
            }
            request.fields.append(("Content-Type", Array("application/x-www-form-urlencoded".utf8)))
            request.body = FormText.bytes(of: form)
        case .builtIn: break
        }
        return request
    }

    /// A client's cookie may contain anything: only a well-formed refresh token is sent to the provider.
    private static func refreshToken(_ credential: RefreshCredential) throws(RefreshFailure) -> [UInt8] {
        guard let token = credential.refreshToken, TokenText.isRefreshToken(token) else { throw .noRefreshToken }
        return token
    }

    /// HTTP Basic credentials of a client, each half form-encoded (RFC 6749 section 2.3.1).
    static func basic(_ clientID: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        let pair = FormText.encoded(clientID) + [UInt8(ascii: ":")] + FormText.encoded(secret)
        // The two base64 alphabets differ only in the characters for 62 and 63, which form-encoded text never yields:
        // they take a `>`, `?`, `~`, DEL or a byte that is not ASCII.
        var text = Array(Base64URL.encode(pair).utf8)
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return Array("Basic ".utf8) + text
    }
}
