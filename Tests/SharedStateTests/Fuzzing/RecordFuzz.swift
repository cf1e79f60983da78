import Tenants
import TestSupport
import Time
import Verification

@testable import SharedState

/// Documents that come from providers and from the store.
enum RecordFuzz {
    static let targets = [refreshAnswer, refreshRecord, keySetRecord]

    static let refreshAnswer = FuzzTarget(
        "refresh-answer",
        texts: [
            #"{"access_token":"a.b.c","refresh_token":"new","expires_in":300,"id":{"t":"v"}}"#,
            #"{"access_token":"eyJhbGciOiJub25lIn0.eyJleHAiOjIwMDAwMDAzMDB9.","refresh_token":null,"refresh_expires_in":1e3}"#,
            #"{"error":"invalid_grant"}"#,
        ],
        words: [#""access_token":"x.y.z","#, "\\u000d\\u000a", "\\u0000", "1e308", "null", #"{"t":""}"#]
    ) { bytes in
        let rules = try SampleCalls.rules(
            .oauth2(clientID: nil, clientSecret: nil),
            cookies: [("refresh", "/refresh_token"), ("session", "/access_token"), ("other", "/id/t")]
        )
        var isWithinLimit = false
        for status in [200, 302, 400, 503] {
            let response = RefreshHTTPResponse(status: status, body: bytes)
            guard case .tokens(let tokens) = RefreshResponseReader.result(response, rules, at: SampleCalls.now) else {
                continue
            }
            isWithinLimit = true
            try hold(status == 200, "tokens of an answer \(status)")
            try hold(TokenText.isAccessToken(tokens.accessToken), "an access token of other bytes")
            try hold(tokens.refreshToken.map(TokenText.isRefreshToken) ?? true, "a refresh token of other bytes")
            for cookie in tokens.cookies {
                try hold(TokenText.isCookieValue(cookie.value), "a cookie of other bytes")
                let end = cookie.expiresAt ?? 0
                try hold(
                    end.seconds.isFinite && end.seconds >= 0 && end.seconds <= 253_402_300_799,
                    "a cookie's end at \(end.seconds)"
                )
            }
        }
        return isWithinLimit
    }

    static let refreshRecord = FuzzTarget(
        "refresh-record",
        seeds: [
            RefreshRecord(
                content: .renewed(
                    accessToken: Array("a.b.c".utf8),
                    cookies: [Renewal.Cookie(name: "r", value: Array("v".utf8), expiresAt: 1.5)]
                ),
                presented: RefreshRecord.digest([1]),
                madeAt: 1_800_000_000.25,
                usableUntil: 1_800_000_030,
                earlier: [RefreshRecord.Earlier(presented: RefreshRecord.digest([2]), until: 1e9)]
            ).json,
            RefreshRecord.failure(.refused(.network), presented: nil, at: 1_800_000_000).json,
        ],
        words: [#""expires_at":"#, #""access_token":"","#, #""cookies":[],"#, "null", "1e308", "-0", #""version":1,"#]
    ) { bytes in
        guard let record = RefreshRecord(json: bytes) else { return false }
        try hold(RefreshRecord(json: record.json) == record, "written again, it is another record")
        return true
    }

    static let keySetRecord = FuzzTarget(
        "key-set-record",
        seeds: [
            KeySetRecord(
                location: "https://id.test/jwks",
                fetchedAt: 1_800_000_000.5,
                freshUntil: 1_800_000_300,
                entityTag: "\"e\"",
                keySet: Array(#"{"keys":[{"kty":"oct","k":"c2VjcmV0IG9mIHRoaXJ0eS10d28gYnl0ZXMsIG9yIG1vcmU"}]}"#.utf8),
                discovery: KeySetRecord.Discovery(keySetURL: "https://id.test/k", fetchedAt: 1_800_000_000)
            ).json
        ],
        words: [#""etag":null,"#, "1e308", "-1", #"\"keys\":[]"#]
    ) { bytes in
        guard let record = KeySetRecord(json: bytes) else { return false }
        try hold(KeySetRecord(json: record.json) == record, "written again, it is another record")
        _ = try? HeldKeySet(record)
        return true
    }
}
