import AsyncHTTPClient
public import NIOCore
import NIOHTTP1
public import NIOSSL
public import Tenants
public import Time
import Verification

/// Asks providers over HTTP. Nothing that a provider says leads to another host, to plain HTTP, or past a bound.
public struct KeySetFetcher: KeySetFetching, Sendable {
    static let maximumRedirects = 3
    /// Bytes.
    static let maximumDiscoveryLength = 256 * 1024
    /// Seconds.
    static let discoveryLifetime = 3600.0

    private let clients: ProviderClients
    private let timeout: Duration

    /// - Parameters:
    ///   - group: Where connections live; each is closed before a fetch returns.
    ///   - timeout: For a fetch as a whole.
    ///   - tls: What authorities are trusted; by default the system's.
    public init(
        group: any EventLoopGroup,
        timeout: Duration = .seconds(10),
        tls: TLSConfiguration = .makeClientConfiguration()
    ) {
        clients = ProviderClients(group: group, tls: tls)
        self.timeout = timeout
    }

    public func fetch(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord {
        do {
            return try await withThrowingTaskGroup(of: KeySetRecord.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await answer(source, since: record, at: now) }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    throw KeySetFetchProblem("no whole answer within \(timeout)")
                }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
        } catch {
            throw KeySetFetchProblem(error)
        }
    }

    private func answer(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws -> KeySetRecord {
        var discovery: KeySetRecord.Discovery?
        let address: String
        switch source.location {
        case .keySet(let url): address = url
        case .discovery(let issuer):
            let found = try await self.discovery(issuer, known: record?.discovery, at: now)
            discovery = found
            address = found.keySetURL
        }
        guard let url = ProviderURL(address) else {
            throw KeySetFetchProblem("the address is not https (or http on loopback)")
        }
        // A tag means something at the address only that it came from.
        let known = record?.discovery?.keySetURL == discovery?.keySetURL ? record : nil
        let response = try await get(url, limit: KeySet.maximumLength, entityTag: known?.entityTag)
        let keySet: [UInt8]
        switch (response.body, known) {
        case (let body?, _): keySet = body
        case (nil, let known?): keySet = known.keySet
        case (nil, nil): throw KeySetFetchProblem("answered 304 to a request without a condition")
        }
        return KeySetRecord(
            location: source.locationText,
            fetchedAt: now,
            freshUntil: now + KeySetLifetime.seconds(response.fields),
            entityTag: response.fields.first(name: "etag") ?? (response.body == nil ? known?.entityTag : nil),
            keySet: keySet,
            discovery: discovery
        )
    }

    /// OpenID Connect Discovery 1.0 section 4: the metadata must name the issuer to the letter, or one provider could
    /// speak for another.
    private func discovery(
        _ issuer: String,
        known: KeySetRecord.Discovery?,
        at now: UnixTime
    ) async throws -> KeySetRecord.Discovery {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        guard let url = ProviderURL(base + "/.well-known/openid-configuration") else {
            throw KeySetFetchProblem("the issuer's address is not https (or http on loopback)")
        }
        // It may have been kept elsewhere meanwhile.
        if let known, abs(now - known.fetchedAt) < Self.discoveryLifetime, mayLead(url, to: known.keySetURL) {
            return known
        }
        let response = try await get(url, limit: Self.maximumDiscoveryLength, entityTag: nil)
        guard let body = response.body, let metadata = (try? JSONParser.parse(body))?.object else {
            throw KeySetFetchProblem("the discovery document is not a JSON object")
        }
        guard let named = metadata["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8) else {
            throw KeySetFetchProblem("the discovery document is another issuer's")
        }
        guard let address = metadata["jwks_uri"]?.string, mayLead(url, to: address) else {
            throw KeySetFetchProblem("\"jwks_uri\" of the discovery document is missing or not https")
        }
        return KeySetRecord.Discovery(keySetURL: address, fetchedAt: now)
    }

    /// Whether metadata from there may name this as the address of the keys.
    private func mayLead(_ metadata: ProviderURL, to keySet: String) -> Bool {
        guard let keySet = ProviderURL(keySet) else { return false }
        return keySet.isSecure || !metadata.isSecure
    }
}

// MARK: One request

extension KeySetFetcher {
    /// The body is nil for 304.
    private typealias Response = (fields: HTTPHeaders, body: [UInt8]?)

    /// Follows redirects by hand, since none may leave the origin.
    private func get(_ url: ProviderURL, limit: Int, entityTag: String?) async throws -> Response {
        try await clients.withClient(for: url) { client in
            var url = url
            for _ in 0...Self.maximumRedirects {
                var request = HTTPClientRequest(url: url.text)
                request.headers.add(name: "accept", value: "application/json, application/jwk-set+json")
                if let entityTag { request.headers.add(name: "if-none-match", value: entityTag) }
                let response = try await client.execute(request, deadline: .now() + TimeAmount(timeout))
                switch response.status.code {
                case 200: return (response.headers, try await body(of: response, limit: limit))
                case 304 where entityTag != nil: return (response.headers, nil)
                case 301, 302, 303, 307, 308: url = try next(after: url, in: response)
                default: throw KeySetFetchProblem("answered \(response.status.code)")
                }
            }
            throw KeySetFetchProblem("more than \(Self.maximumRedirects) redirects")
        }
    }

    private func next(after url: ProviderURL, in response: HTTPClientResponse) throws -> ProviderURL {
        guard let location = response.headers.first(name: "location"),
            let next = url.redirected(to: location), next.hasSameOrigin(as: url)
        else { throw KeySetFetchProblem("answered \(response.status.code), which leads to another host") }
        return next
    }

    private func body(of response: HTTPClientResponse, limit: Int) async throws -> [UInt8] {
        let tooLong = KeySetFetchProblem("the answer is longer than \(limit) bytes")
        if let length = response.headers.first(name: "content-length").flatMap({ Int($0) }), length > limit {
            throw tooLong
        }
        var bytes: [UInt8] = []
        for try await part in response.body {
            guard bytes.count + part.readableBytes <= limit else { throw tooLong }
            bytes += part.readableBytesView
        }
        return bytes
    }
}
