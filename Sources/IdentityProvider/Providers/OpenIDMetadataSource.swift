import Logging
import Tenants
import Time

/// The metadata of one provider: fetched when it is first needed, kept for an hour, and used for a day longer while the
/// provider does not answer. However many sign-ins need it at once, it is fetched once.
actor OpenIDMetadataSource {
    /// Seconds.
    private static let freshFor = 3600.0
    private static let usableFor = 86_400.0
    /// Seconds without another attempt after one that failed.
    private static let pause = 1.0

    private struct Known {
        let metadata: OpenIDMetadata
        let fetchedAt: UnixTime
    }

    private let provider: SignIn.Provider
    private let service: OpenIDService
    private let requests: any ProviderRequests
    private let logger: Logger
    private var known: Known?
    private var failure: (refusal: EndpointRefusal, at: UnixTime)?
    private var fetch: Task<Result<OpenIDMetadata, EndpointRefusal>, Never>?

    init(
        _ service: OpenIDService,
        of provider: SignIn.Provider,
        requests: any ProviderRequests,
        logger: Logger
    ) {
        self.service = service
        self.provider = provider
        self.requests = requests
        self.logger = logger
    }

    func metadata(at now: UnixTime) async throws(EndpointRefusal) -> OpenIDMetadata {
        if let known, abs(now - known.fetchedAt) < Self.freshFor { return known.metadata }
        if let failure, abs(now - failure.at) < Self.pause { return try usable(instead: failure.refusal, at: now) }
        switch await fetched(at: now) {
        case .success(let metadata): return metadata
        case .failure(let refusal): return try usable(instead: refusal, at: now)
        }
    }

    private func usable(instead refusal: EndpointRefusal, at now: UnixTime) throws(EndpointRefusal) -> OpenIDMetadata {
        guard let known, abs(now - known.fetchedAt) < Self.usableFor else { throw refusal }
        return known.metadata
    }

    private func fetched(at now: UnixTime) async -> Result<OpenIDMetadata, EndpointRefusal> {
        if let fetch { return await fetch.value }
        // A task of its own: a browser that leaves must not end the fetch that others wait for.
        let task = Task { await request() }
        fetch = task
        let result = await task.value
        fetch = nil
        switch result {
        case .success(let metadata):
            known = Known(metadata: metadata, fetchedAt: now)
            failure = nil
        case .failure(let refusal): failure = (refusal, now)
        }
        return result
    }

    private func request() async -> Result<OpenIDMetadata, EndpointRefusal> {
        let request = ProviderRequest(
            method: "GET",
            url: service.metadataURL,
            fields: [.init("Accept", "application/json"), .userAgent]
        )
        let response: ProviderResponse
        do throws(ProviderRequestFailure) {
            response = try await requests.send(request)
        } catch {
            note(error.rawValue)
            return .failure(EndpointRefusal(error, of: provider))
        }
        guard response.status == 200 else {
            note("answered \(response.status)")
            return .failure(EndpointRefusal(.unreachable, of: provider))
        }
        do throws(OpenIDMetadata.Fault) {
            let isPlain = service.metadataURL.hasPrefix("http://")
            return .success(try OpenIDMetadata(response.body, issuer: service.issuer, allowsPlain: isPlain))
        } catch {
            note(error.rawValue)
            return .failure(EndpointRefusal(.garbled, of: provider))
        }
    }

    private func note(_ reason: String) {
        logger.error(
            "the metadata of a sign-in provider cannot be used",
            metadata: [
                "provider": "\(provider.rawValue)", "url": "\(service.metadataURL.prefix { $0 != "?" })",
                "reason": "\(reason)",
            ]
        )
    }
}
