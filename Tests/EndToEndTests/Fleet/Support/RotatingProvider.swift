import Synchronization
import TestSupport
import Verification

/// A backend that gives out tokens itself. Each refresh token can be used once: it takes the use of an old one for theft,
/// and from then on all tokens of that sign-in are worth nothing (RFC 9700 section 4.14.2).
final class RotatingProvider: Sendable {
    /// What it does with one refresh call. From ``hangs`` on they change nothing.
    enum Deed: Sendable {
        case answers
        /// Acts and answers once ``release()`` was called.
        case answersWhenReleased
        /// Waits until the caller is gone.
        case hangs
        /// These bytes.
        case says(String)
    }

    /// A pair of tokens as a client has them.
    struct Pair: Sendable, Equatable {
        var access: String
        var refresh: String
    }

    /// All that came of one sign-in.
    fileprivate struct Family {
        var claims: JSONObject
        var current: Pair
        var generation = 0
        var isStolen = false
    }

    fileprivate struct State {
        var families: [Family] = []
        /// To which family and generation a token belongs.
        var accessTokens: [String: (family: Int, generation: Int)] = [:]
        var refreshTokens: [String: Int] = [:]
        var ended: Set<String> = []
        var deeds: [Deed] = []
        var everyDeed: Deed?
        var nextClaims: JSONObject = [:]
        var presentations: [String: Int] = [:]
        var calls = 0
        var reuses = 0
    }

    static let refreshPath = "/refresh"
    static let signInPath = "/login"

    /// One for each refresh call that has begun.
    let asked = Mailbox<Void>("a refresh call")
    /// One for each 401 to a token that is worth nothing any more.
    let refused = Mailbox<Void>("a 401 of the backend")
    private let released = Gate("the answer of the provider")
    private let state = Mutex(State())
    private let issuer: TestIssuer

    init() throws {
        issuer = try TestIssuer.shared()
    }

    // MARK: What a test says

    /// A client signs in.
    ///
    /// - Parameter claims: Of its first access token; later ones have its `sub` and `sid` alone.
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

    /// From now on the backend answers 401 to this access token.
    func end(_ access: String) {
        state.withLock { _ = $0.ended.insert(access) }
    }

    /// What is done with the next calls, one after the other; with those that follow ``Deed/answers``.
    func next(_ deeds: Deed...) {
        state.withLock { $0.deeds = deeds }
    }

    /// Further claims of the access token that the next refresh brings.
    func next(claims: JSONObject) {
        state.withLock { $0.nextClaims = claims }
    }

    /// What is done with all calls from now on.
    func always(_ deed: Deed?) {
        state.withLock { $0.everyDeed = deed }
    }

    func release() { released.open() }

    // MARK: What it has seen

    var calls: Int { state.withLock { $0.calls } }
    /// Refresh tokens that were presented after another had been given for them.
    var reuses: Int { state.withLock { $0.reuses } }

    /// How often the provider was shown this refresh token, whatever came of it.
    func presentations(of refresh: String) -> Int { state.withLock { $0.presentations[refresh, default: 0] } }

    /// The tokens that the session has now.
    func current(_ first: Pair) throws -> Pair {
        let pair = state.withLock { state in
            state.refreshTokens[first.refresh].map { state.families[$0].current }
        }
        guard let pair else { throw Malformed("no such session") }
        return pair
    }

    /// Every token that was ever given out.
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
            case Self.signInPath: try await exchange.sendJSON(try Self.answer(self.signIn()))
            case "/logout", "/free": try await exchange.sendOK()
            default: try await self.serve(exchange, body)
            }
        }
    }

    /// A good token's generation, and what came with the request.
    private func serve(_ exchange: Exchange, _ body: [UInt8]) async throws {
        let token = exchange.head.fields.cookie("access") ?? exchange.head.fields.bearer ?? ""
        let generation = state.withLock { state -> Int? in
            guard let place = state.accessTokens[token], !state.ended.contains(token),
                !state.families[place.family].isStolen
            else { return nil }
            return place.generation
        }
        if let generation { return try await exchange.sendOK("\(generation) \(body.text)") }
        try await exchange.send("HTTP/1.1 401 Unauthorized\r\nX-Of-The-Backend: 1\r\nContent-Length: 4\r\n\r\npast")
        refused.put(())
    }

    private func refresh(_ exchange: Exchange, _ body: [UInt8]) async throws {
        let presented = Self.presented(exchange.head, body)
        let deed = state.withLock { state -> Deed in
            state.calls += 1
            state.presentations[presented, default: 0] += 1
            if let every = state.everyDeed { return every }
            return state.deeds.isEmpty ? .answers : state.deeds.removeFirst()
        }
        asked.put(())
        switch deed {
        case .answers: break
        case .answersWhenReleased: try await released.passed()
        case .hangs:
            try await exchange.gone()
            return await exchange.close()
        case .says(let raw): return try await exchange.send(raw)
        }
        guard let pair = try act(on: presented) else {
            return try await exchange.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
        }
        try await exchange.sendJSON(Self.answer(pair))
    }

    /// The refresh token in JSON, or the access token of who goes by that.
    private static func presented(_ head: RequestHead, _ body: [UInt8]) -> String {
        let document = try? JSONParser.parse(body)
        return document?.object?["refresh_token"]?.string ?? head.fields.bearer ?? ""
    }

    /// - Returns: Nil for what is worth nothing.
    private func act(on presented: String) throws -> Pair? {
        let found = state.withLock { state -> (family: Int, claims: JSONObject)? in
            if let place = state.accessTokens[presented] { return (place.family, state.families[place.family].claims) }
            guard let place = state.refreshTokens[presented] else { return nil }
            if state.families[place].current.refresh != presented {
                state.reuses += 1
                state.families[place].isStolen = true
            }
            return state.families[place].isStolen ? nil : (place, state.families[place].claims)
        }
        guard let (place, lasting) = found else { return nil }
        var claims = lasting
        let further = state.withLock { state in
            defer { state.nextClaims = [:] }
            return state.nextClaims
        }
        for claim in further.members { claims[claim.name] = claim.value }
        let pair = try newPair(claims)
        return state.withLock { state -> Pair? in
            // Who came first while the pair was made has rotated it.
            if state.refreshTokens[presented] != nil, state.families[place].current.refresh != presented {
                state.reuses += 1
                state.families[place].isStolen = true
                return nil
            }
            state.families[place].current = pair
            state.families[place].generation += 1
            state.note(pair, place)
            return pair
        }
    }

    private func newPair(_ claims: JSONObject) throws -> Pair {
        var claims = claims
        claims["jti"] = claims["jti"] ?? .string(Self.random())
        return Pair(access: try issuer.token(claims), refresh: "rt-" + Self.random())
    }

    private static func answer(_ pair: Pair) -> JSONObject {
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
