import Synchronization
import TestSupport
import Verification

/// A backend that issues tokens. Each refresh token can be used once: reuse counts as theft, which revokes all tokens
/// of the sign-in (RFC 9700 section 4.14.2).
final class RotatingProvider: Sendable {
    /// Handling of one refresh call. From ``hangs`` on they change nothing.
    enum Action: Sendable {
        case respond
        /// Rotates and responds after ``release()``.
        case respondWhenReleased
        /// Waits until the caller disconnects.
        case hangs
        /// Sends these bytes.
        case says(String)
    }

    /// A client's pair of tokens.
    struct Pair: Sendable, Equatable {
        var access: String
        var refresh: String
    }

    /// All tokens of one sign-in.
    fileprivate struct Family {
        var claims: JSONObject
        var current: Pair
        var generation = 0
        var isStolen = false
    }

    fileprivate struct State {
        var families: [Family] = []
        /// The family and generation of a token.
        var accessTokens: [String: (family: Int, generation: Int)] = [:]
        var refreshTokens: [String: Int] = [:]
        var ended: Set<String> = []
        var actions: [Action] = []
        var everyDeed: Action?
        var nextClaims: JSONObject = [:]
        var presentations: [String: Int] = [:]
        var calls = 0
        var reuses = 0
    }

    static let refreshPath = "/refresh"
    static let signInPath = "/login"

    /// One for each started refresh call.
    let asked = Mailbox<Void>("a refresh call")
    /// One for each 401 to a rejected token.
    let refused = Mailbox<Void>("a 401 of the backend")
    private let released = Gate("the answer of the provider")
    private let state = Mutex(State())
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer.shared()
    }

    // MARK: Control

    /// A client signs in.
    ///
    /// - Parameter claims: Claims of the first access token; later ones keep only `sub` and `sid`.
    func signIn(_ claims: JSONObject = [:]) throws -> Pair {
        var lasting: JSONObject = ["sub": "alice", "sid": .string("session-\(UInt64.random(in: 0 ... .max))")]
        for name in ["sub", "sid"] { lasting[name] = claims[name] ?? lasting[name] }
        var all = lasting
        for claim in claims.members { all[claim.name] = claim.value }
        let pair = try newPair(all)
        state.withLock { state in
            state.families.append(Family(claims: lasting, current: pair))
            state.note(pair, state.families.count - 1)
        }
        return pair
    }

    /// Makes the backend reject this access token with 401.
    func end(_ access: String) {
        state.withLock { _ = $0.ended.insert(access) }
    }

    /// The actions for the next calls in order; later calls get ``Action/respond``.
    func next(_ actions: Action...) {
        state.withLock { $0.actions = actions }
    }

    /// Further claims of the next refreshed access token.
    func next(claims: JSONObject) {
        state.withLock { $0.nextClaims = claims }
    }

    /// The action for all further calls; nil: the default.
    func always(_ action: Action?) {
        state.withLock { $0.everyDeed = action }
    }

    func release() { released.open() }

    // MARK: Observations

    /// The number of calls with a token of this provider's.
    var calls: Int { state.withLock { $0.calls } }
    /// The number of reused refresh tokens.
    var reuses: Int { state.withLock { $0.reuses } }

    /// How often this refresh token was presented.
    func presentations(of refresh: String) -> Int { state.withLock { $0.presentations[refresh, default: 0] } }

    /// The tokens that the session has now.
    func current(_ first: Pair) throws -> Pair {
        let pair = state.withLock { state in
            state.refreshTokens[first.refresh].map { state.families[$0].current }
        }
        guard let pair else { throw Malformed("no such session") }
        return pair
    }

    /// Every issued token.
    var secrets: [String] {
        state.withLock { Array($0.accessTokens.keys) + Array($0.refreshTokens.keys) }
    }
}

// MARK: - The backend

extension RotatingProvider {
    var script: BackendScript {
        BackendScript { exchange in
            let body = try await exchange.body().bytes
            switch exchange.head.path {
            case Self.refreshPath: try await self.refresh(exchange, body)
            case Self.signInPath: try await exchange.sendJSON(try Self.json(self.signIn()))
            case "/logout", "/free": try await exchange.sendOK()
            default: try await self.serve(exchange, body)
            }
        }
    }

    /// Responds with the token's generation and the request body.
    private func serve(_ exchange: Exchange, _ body: [UInt8]) async throws {
        let token = exchange.head.fields.cookie("access") ?? exchange.head.fields.bearer ?? ""
        let generation = state.withLock { state -> Int? in
            guard let location = state.accessTokens[token], !state.ended.contains(token),
                !state.families[location.family].isStolen
            else { return nil }
            return location.generation
        }
        if let generation { return try await exchange.sendOK("\(generation) \(body.text)") }
        try await exchange.send("HTTP/1.1 401 Unauthorized\r\nX-Of-The-Backend: 1\r\nContent-Length: 4\r\n\r\npast")
        refused.put(())
    }

    private func refresh(_ exchange: Exchange, _ body: [UInt8]) async throws {
        let presented = Self.presented(exchange.head, body)
        let action = state.withLock { state -> Action? in
            // A gateway of another test may still call a provider that had this port before.
            guard state.accessTokens[presented] != nil || state.refreshTokens[presented] != nil else { return nil }
            state.calls += 1
            state.presentations[presented, default: 0] += 1
            if let every = state.everyDeed { return every }
            return state.actions.isEmpty ? .respond : state.actions.removeFirst()
        }
        guard let action else { return try await Self.refuse(exchange) }
        asked.put(())
        switch action {
        case .respond: break
        case .respondWhenReleased: try await released.passed()
        case .hangs:
            try await exchange.gone()
            return await exchange.close()
        case .says(let raw): return try await exchange.send(raw)
        }
        guard let pair = try act(on: presented) else { return try await Self.refuse(exchange) }
        try await exchange.sendJSON(Self.json(pair))
    }

    private static func refuse(_ exchange: Exchange) async throws {
        try await exchange.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
    }

    /// The refresh token in the JSON body, or else the access token.
    private static func presented(_ head: RequestHead, _ body: [UInt8]) -> String {
        let document = try? JSONParser.parse(body)
        return document?.object?["refresh_token"]?.string ?? head.fields.bearer ?? ""
    }

    /// - Returns: Nil for an invalid token.
    private func act(on presented: String) throws -> Pair? {
        let found = state.withLock { state -> (family: Int, claims: JSONObject)? in
            if let location = state.accessTokens[presented] {
                return (location.family, state.families[location.family].claims)
            }
            guard let location = state.refreshTokens[presented] else { return nil }
            if state.families[location].current.refresh != presented {
                state.reuses += 1
                state.families[location].isStolen = true
            }
            return state.families[location].isStolen ? nil : (location, state.families[location].claims)
        }
        guard let (location, lasting) = found else { return nil }
        var claims = lasting
        let further = state.withLock { state in
            defer { state.nextClaims = [:] }
            return state.nextClaims
        }
        for claim in further.members { claims[claim.name] = claim.value }
        let pair = try newPair(claims)
        return state.withLock { state -> Pair? in
            // A concurrent call may have rotated it meanwhile.
            if state.refreshTokens[presented] != nil, state.families[location].current.refresh != presented {
                state.reuses += 1
                state.families[location].isStolen = true
                return nil
            }
            state.families[location].current = pair
            state.families[location].generation += 1
            state.note(pair, location)
            return pair
        }
    }

    private func newPair(_ claims: JSONObject) throws -> Pair {
        var claims = claims
        claims["jti"] = claims["jti"] ?? .string(Self.random())
        return Pair(access: try issuer.token(claims), refresh: "rt-" + Self.random())
    }

    private static func json(_ pair: Pair) -> JSONObject {
        ["access_token": .string(pair.access), "refresh_token": .string(pair.refresh)]
    }

    private static func random() -> String {
        String(UInt64.random(in: 0 ... .max), radix: 36) + String(UInt64.random(in: 0 ... .max), radix: 36)
    }
}

extension RotatingProvider.State {
    fileprivate mutating func note(_ pair: RotatingProvider.Pair, _ family: Int) {
        accessTokens[pair.access] = (family, families[family].generation)
        refreshTokens[pair.refresh] = family
    }
}

extension Exchange {
    fileprivate func sendJSON(_ object: JSONObject) async throws {
        try await sendOK(JSONWriter.text(of: .object(object)), fields: "Content-Type: application/json\r\n")
    }
}

extension FieldLines {
    fileprivate var bearer: String? {
        self["Authorization"].first.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil }
    }

    fileprivate func cookie(_ name: String) -> String? {
        for pair in self["Cookie"].flatMap({ $0.split(separator: ";") }) {
            let text = pair.trimmingSpaces
            if text.hasPrefix("\(name)=") { return String(text.dropFirst(name.count + 1)) }
        }
        return nil
    }
}
