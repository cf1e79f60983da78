public import Tenants
public import Time
import Verification

/// Apple's endpoints for the users of an app that moves to another developer team: each team calls them with its own key.
///
/// What is asked for twice has the same answer, so that failed requests are sent again. All requests rest for as long as
/// Apple asks one of them to.
public actor AppleTransferClient {
    /// A team's client at Apple.
    public struct Team: Sendable {
        /// The app's.
        public var clientID: String
        public var teamID: String
        /// The key's name at Apple.
        public var keyID: String
        /// In PEM.
        public var key: Secret

        public init(clientID: String, teamID: String, keyID: String, key: Secret) {
            self.clientID = clientID
            self.teamID = teamID
            self.keyID = keyID
            self.key = key
        }
    }

    private static let mostTries = 8
    /// Seconds.
    private static let firstPause = 1.0
    private static let longestPause = 300.0
    /// Seconds before its expiry from which an access token is not used.
    private static let margin = 60.0

    private let clientID: String
    private let secret: AppleClientSecret
    private let audience: String
    private let tokenURL: String
    private let requests: any ProviderRequests
    private let now: @Sendable () -> UnixTime
    private let sleep: @Sendable (Duration) async throws -> Void
    private var access: (token: String, expiresAt: UnixTime)?
    private var restsUntil = UnixTime(0)

    /// - Parameters:
    ///   - audience: Apple, in client secrets.
    ///   - tokenURL: Of Apple; the endpoint for users is beside it.
    ///   - sleep: Waits, and throws if it is cancelled.
    /// - Throws: ``AppleTransferProblem/unusableKey``.
    public init(
        _ team: Team,
        audience: String,
        tokenURL: String,
        requests: any ProviderRequests,
        now: @escaping @Sendable () -> UnixTime = { Clock.unix() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(AppleTransferProblem) {
        guard let secret = AppleClientSecret(teamID: team.teamID, keyID: team.keyID, key: team.key) else {
            throw .unusableKey
        }
        clientID = team.clientID
        self.secret = secret
        self.audience = audience
        self.tokenURL = tokenURL
        self.requests = requests
        self.now = now
        self.sleep = sleep
    }

    /// The identifier by which the recipient team will know a user of this one.
    public func transferSubject(
        of subject: String,
        to recipient: String
    ) async throws(AppleTransferProblem) -> String {
        let object = try await userInfo([("sub", subject), ("target", recipient)])
        guard let transfer = object["transfer_sub"]?.string, ProviderIdentity.isSubject(transfer) else {
            throw .garbled
        }
        return transfer
    }

    /// A user of this team, by the identifier that the former team got.
    public func identity(
        ofTransferSubject transferSubject: String
    ) async throws(AppleTransferProblem) -> ProviderIdentity {
        var object = try await userInfo([("transfer_sub", transferSubject)])
        // Apple gives only addresses that it forwards itself, or has verified.
        object["email_verified"] = true
        guard let identity = ProviderIdentity(object, of: .apple) else { throw .garbled }
        return identity
    }

    /// Gets an access token if there is none, which shows whether Apple takes the client.
    public func signIn() async throws(AppleTransferProblem) { _ = try await accessToken() }

    // MARK: Requests

    private func userInfo(_ parameters: [(name: String, value: String)]) async throws(AppleTransferProblem)
        -> JSONObject
    {
        var response = try await ask(parameters)
        if response.status == 401 {
            // It may have been withdrawn.
            access = nil
            response = try await ask(parameters)
        }
        let object = try? JSONParser.parse(response.body).object
        switch (response.status, object) {
        case (200, let object?): return object
        case (400..<500, let object):
            let error = Self.printable(object?["error"]?.string ?? "\(response.status)")
            throw Self.isAboutUser(error) ? .unknownUser : .refusedClient(error)
        default: throw .garbled
        }
    }

    private func ask(
        _ parameters: [(name: String, value: String)]
    ) async throws(AppleTransferProblem) -> ProviderResponse {
        let token = try await accessToken()
        return try await post(Self.userInfoURL(beside: tokenURL), parameters, token)
    }

    private func accessToken() async throws(AppleTransferProblem) -> String {
        if let access, now() < access.expiresAt { return access.token }
        let grant = [(name: "grant_type", value: "client_credentials"), (name: "scope", value: "user.migration")]
        let response = try await post(tokenURL, grant, nil)
        let object = try? JSONParser.parse(response.body).object
        switch (response.status, object) {
        case (200, let object?):
            guard let token = object["access_token"]?.string, PlainText.isVisible(token, longest: 4096) else {
                throw .garbled
            }
            let lifetime = min(max(object["expires_in"]?.double ?? 0, 0), 86_400)
            access = (token, now() + max(lifetime - Self.margin, 0))
            return token
        case (400..<500, let object):
            throw .refusedClient(Self.printable(object?["error"]?.string ?? "\(response.status)"))
        default: throw .garbled
        }
    }

    /// - Returns: A response that is none of those after which one may try again.
    private func post(
        _ url: String,
        _ parameters: [(name: String, value: String)],
        _ token: String?
    ) async throws(AppleTransferProblem) -> ProviderResponse {
        var pause = Self.firstPause
        for _ in 0..<Self.mostTries {
            try await rest()
            // Signed anew: after a pause the client secret may have expired.
            let message = try request(url, parameters, token)
            let response = try? await requests.send(message)
            if let response, !Self.isTemporary(response.status) { return response }
            let seconds = min(max(response?.retryAfterSeconds.map(Double.init) ?? pause, 0), Self.longestPause)
            restsUntil = max(restsUntil, now() + seconds)
            pause = min(pause * 2, Self.longestPause)
        }
        throw .unavailable
    }

    private func request(
        _ url: String,
        _ parameters: [(name: String, value: String)],
        _ token: String?
    ) throws(AppleTransferProblem) -> ProviderRequest {
        let clientSecret: String
        do throws(SigningError) {
            clientSecret = try secret.make(for: clientID, audience: audience, at: now())
        } catch {
            throw .unusableKey
        }
        let client = [(name: "client_id", value: clientID), (name: "client_secret", value: clientSecret)]
        var fields: [EndpointResponse.Field] = [
            .init("Content-Type", "application/x-www-form-urlencoded"), .init("Accept", "application/json"),
        ]
        if let token { fields.append(.init("Authorization", "Bearer \(token)")) }
        return ProviderRequest(
            method: "POST",
            url: url,
            fields: fields,
            body: Array(FormText.text(of: parameters + client).utf8),
            timeout: .seconds(10)
        )
    }

    private func rest() async throws(AppleTransferProblem) {
        let seconds = restsUntil - now()
        guard seconds > 0 else { return }
        do { try await sleep(.seconds(seconds)) } catch { throw .cancelled }
    }

    // MARK: Reading

    /// Too slow, too often, or Apple's own failure.
    private static func isTemporary(_ status: Int) -> Bool { status == 408 || status == 429 || status >= 500 }

    /// Apple calls a user that it does not know an invalid request.
    private static func isAboutUser(_ error: String) -> Bool { ["invalid_request", "400", "404"].contains(error) }

    private static func printable(_ error: String) -> String {
        PlainText.isVisible(error, longest: 64) ? error : "another error"
    }

    private static func userInfoURL(beside tokenURL: String) -> String {
        let folder = tokenURL.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(tokenURL[...$0]) } ?? ""
        return folder + "usermigrationinfo"
    }
}

extension AppleTransferClient.Team: CustomStringConvertible, CustomReflectable {
    public var description: String { "<client \(clientID) of Apple team \(teamID)>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
