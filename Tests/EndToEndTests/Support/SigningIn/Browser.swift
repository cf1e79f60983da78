import Synchronization

/// A browser that keeps the cookies of one host and follows no redirects.
final class Browser: Sendable {
    let app: AppClient
    private let jar = Mutex<[String: String]>([:])

    init(_ app: AppClient) {
        self.app = app
    }

    var cookies: [String: String] { jar.withLock { $0 } }

    /// Sets a cookie without the host, as a neighbouring host or a plain connection can.
    func plant(_ name: String, _ value: String) {
        jar.withLock { $0[name] = value }
    }

    func get(_ target: String, fields: [String] = []) async throws -> RawResponse {
        note(try await app.get(target, fields: cookieLines + fields))
    }

    /// A same-origin request.
    func post(_ target: String, form: String = "", fields: [String] = []) async throws -> RawResponse {
        note(try await app.post(target, form: form, fields: cookieLines + fields))
    }

    /// A form that a page of another site posts: cookies with `SameSite=Lax` stay at home.
    func postFromElsewhere(_ target: String, form: String) async throws -> RawResponse {
        note(
            try await app.post(
                target,
                form: form,
                fields: ["Origin: https://elsewhere.example", "Sec-Fetch-Site: cross-site"]
            )
        )
    }

    private var cookieLines: [String] {
        let cookies = cookies
        guard !cookies.isEmpty else { return [] }
        return ["Cookie: " + cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; ")]
    }

    private func note(_ response: RawResponse) -> RawResponse {
        for line in response.fields["Set-Cookie"] {
            guard let cookie = ReceivedCookie(line) else { continue }
            jar.withLock { $0[cookie.name] = cookie.isGone ? nil : cookie.value }
        }
        return response
    }
}

/// A `Set-Cookie` line (RFC 6265 section 5.2).
struct ReceivedCookie {
    let name: String
    let value: String
    /// In lower case.
    let attributes: Set<String>

    init?(_ line: String) {
        let parts = line.split(separator: ";").map(\.trimmingSpaces)
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
        name = String(pair[..<equals])
        value = String(pair[pair.index(after: equals)...])
        attributes = Set(parts.dropFirst().map { $0.lowercased() })
    }

    /// Whether it deletes the cookie.
    var isGone: Bool { attributes.contains("max-age=0") }

    /// Whether it is HttpOnly, Secure and SameSite=Lax.
    var isGuarded: Bool { attributes.isSuperset(of: ["httponly", "secure", "samesite=lax", "path=/"]) }
}

extension RawResponse {
    func cookie(_ name: String) -> ReceivedCookie? {
        let all = fields["Set-Cookie"].compactMap { ReceivedCookie($0) }.filter { $0.name == name }
        return all.count == 1 ? all.first : nil
    }
}
