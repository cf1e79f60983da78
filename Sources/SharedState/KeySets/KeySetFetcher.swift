public import NIOCore
public import NIOSSL
import OutgoingHTTP
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

    private let group: any EventLoopGroup
    private let timeout: Duration
    private let tls: TLSConfiguration

    /// - Parameters:
    ///   - group: Where connections live; each is closed before a fetch returns.
    ///   - timeout: For a fetch as a whole.
    ///   - tls: What authorities are trusted; by default the system's.
    public init(
        group: any EventLoopGroup,
        timeout: Duration = .seconds(10),
        tls: TLSConfiguration = .makeClientConfiguration()
    ) {
        self.group = group
        self.timeout = timeout
        self.tls = tls
    }

    public func fetch(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord {
        let http = OutgoingHTTP(group: group, tls: tls)
        let fetch = Fetch(http: http, timeout: timeout, end: .now + timeout)
        let result: Result<KeySetRecord, KeySetFetchProblem>
        do throws(KeySetFetchProblem) {
            result = .success(try await fetch.record(source, since: record, at: now))
        } catch {
            result = .failure(error)
        }
        await http.shutdown()
        return try result.get()
    }
}

/// One fetch, of one address or two.
private struct Fetch {
    let http: OutgoingHTTP
    let timeout: Duration
    let end: ContinuousClock.Instant

    func record(
        _ source: RemoteKeySource,
        since record: KeySetRecord?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord {
        var discovery: KeySetRecord.Discovery?
        let address: String
        switch source.location {
        case .keySet(let url): address = url
        case .discovery(let issuer):
            let found = try await self.discovery(issuer, source, known: record?.discovery, at: now)
            discovery = found
            address = found.keySetURL
        }
        guard let url = ProviderURL(address, allowsPlain: source.allowsPlainHTTP) else {
            throw KeySetFetchProblem("the address is not https (or http on loopback)")
        }
        // A tag means something at the address only that it came from.
        let known = record?.discovery?.keySetURL == discovery?.keySetURL ? record : nil
        let response = try await get(url, limit: KeySet.maximumLength, entityTag: known?.entityTag)
        let isUnchanged = response.status == 304
        guard let keySet = isUnchanged ? known?.keySet : response.body else {
            throw KeySetFetchProblem("answered 304 to a request without a condition")
        }
        return KeySetRecord(
            location: source.locationText,
            fetchedAt: now,
            freshUntil: now + KeySetLifetime.seconds(response.fields),
            entityTag: response.fields.first(name: "etag") ?? (isUnchanged ? known?.entityTag : nil),
            keySet: keySet,
            discovery: discovery
        )
    }

    /// OpenID Connect Discovery 1.0 section 4: the metadata must name the issuer to the letter, or one provider could
    /// speak for another.
    private func discovery(
        _ issuer: String,
        _ source: RemoteKeySource,
        known: KeySetRecord.Discovery?,
        at now: UnixTime
    ) async throws(KeySetFetchProblem) -> KeySetRecord.Discovery {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let metadataURL = base + "/.well-known/openid-configuration"
        guard let url = ProviderURL(metadataURL, allowsPlain: source.allowsPlainHTTP) else {
            throw KeySetFetchProblem("the issuer's address is not https (or http on loopback)")
        }
        // It may have been kept elsewhere meanwhile.
        if let known, abs(now - known.fetchedAt) < KeySetFetcher.discoveryLifetime,
            mayLead(url, to: known.keySetURL, source)
        {
            return known
        }
        let response = try await get(url, limit: KeySetFetcher.maximumDiscoveryLength, entityTag: nil)
        guard let metadata = (try? JSONParser.parse(response.body))?.object else {
            throw KeySetFetchProblem("the discovery document is not a JSON object")
        }
        guard let named = metadata["issuer"]?.string, named.utf8.elementsEqual(issuer.utf8) else {
            throw KeySetFetchProblem("the discovery document is another issuer's")
        }
        guard let address = metadata["jwks_uri"]?.string, mayLead(url, to: address, source) else {
            throw KeySetFetchProblem("\"jwks_uri\" of the discovery document is missing or not https")
        }
        return KeySetRecord.Discovery(keySetURL: address, fetchedAt: now)
    }

    /// Whether metadata from there may name this as the address of the keys.
    private func mayLead(_ metadata: ProviderURL, to keySet: String, _ source: RemoteKeySource) -> Bool {
        guard let keySet = ProviderURL(keySet, allowsPlain: source.allowsPlainHTTP) else { return false }
        return keySet.origin.isSecure || !metadata.origin.isSecure
    }

    // MARK: One request

    /// A response of 200, or of 304 to a request with a tag. Follows redirects by hand, since none may leave the origin.
    private func get(
        _ url: ProviderURL,
        limit: Int,
        entityTag: String?
    ) async throws(KeySetFetchProblem) -> OutgoingResponse {
        var url = url
        var fields = [(name: "accept", value: "application/json, application/jwk-set+json")]
        if let entityTag { fields.append((name: "if-none-match", value: entityTag)) }
        for _ in 0...KeySetFetcher.maximumRedirects {
            let request = OutgoingRequest(url: url.text, origin: url.origin, fields: fields)
            let response = try await send(request, limit: limit)
            switch response.status {
            case 200: return response
            case 304 where entityTag != nil: return response
            case 301, 302, 303, 307, 308: url = try next(after: url, in: response)
            default: throw KeySetFetchProblem("answered \(response.status)")
            }
        }
        throw KeySetFetchProblem("more than \(KeySetFetcher.maximumRedirects) redirects")
    }

    private func send(_ request: OutgoingRequest, limit: Int) async throws(KeySetFetchProblem) -> OutgoingResponse {
        do throws(OutgoingHTTPError) {
            return try await http.send(request, within: end - .now, mostBytes: limit) { $0 == 200 }
        } catch {
            throw KeySetFetchProblem(
                error.kind == .timeLimit ? "no whole answer within \(timeout)" : error.description
            )
        }
    }

    private func next(
        after url: ProviderURL,
        in response: OutgoingResponse
    ) throws(KeySetFetchProblem) -> ProviderURL {
        guard let location = response.fields.first(name: "location"),
            let next = url.redirected(to: location), next.origin == url.origin
        else { throw KeySetFetchProblem("answered \(response.status), which leads to another host") }
        return next
    }
}
