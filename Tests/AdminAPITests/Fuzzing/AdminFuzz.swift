import TestSupport

@testable import AdminAPI

/// Requests to the admin API.
enum AdminFuzz {
    static let targets = [revocationRequest, adminQuery]

    static let revocationRequest = FuzzTarget(
        "admin-revocation",
        texts: [
            #"{"tenant":"app","subject":"alice","reason":"lost"}"#, #"{"tenant":"app","all":true,"for":"24h"}"#,
            #"{"tenant":"app","token":"a.b.c"}"#, #"{"tenant":"app","jti":"x","for":"90m"}"#,
        ],
        words: [#""session":"s","#, #""all":false,"#, #""for":"99999999999d","#, "\\u0000", "\\n", "null"]
    ) { bytes in
        guard let request = try? RevocationRequest(json: bytes) else { return false }
        try hold(!request.tenant.isEmpty, "a tenant without a name")
        let longest = Duration.seconds(10 * 365 * 86_400)
        try hold(
            request.lifetime.map { $0 > .zero && $0 <= longest } ?? true,
            "for \(String(describing: request.lifetime))"
        )
        switch request.selector {
        case .tokenID(let id), .subject(let id), .session(let id):
            try hold(!id.isEmpty && id.utf8.count <= 1024, "a name of \(id.utf8.count) bytes")
        case .token, .all: break
        }
        return true
    }

    static let adminQuery = FuzzTarget(
        "admin-query",
        texts: ["tenant=app&limit=10", "tenant=a%20b&cursor=x+y", "", "limit=1000&tenant=%C3%A4"],
        words: ["tenant=", "&", "limit=", "%00", "%zz", "cursor="]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let values = try? AdminQuery.parameters(text, known: RevocationQuery.parameters) else { return false }
        try hold(values.keys.allSatisfy(RevocationQuery.parameters.contains), "a parameter that is not known")
        guard let query = try? RevocationQuery(values) else { return true }
        try hold((1...1000).contains(query.limit) && !query.tenant.isEmpty, "\(query)")
        return true
    }
}
