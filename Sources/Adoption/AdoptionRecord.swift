import Time
import Verification

/// What the store knows of a former session, so that it is adopted once, on whichever instances its tokens arrive. A
/// value: ``step(_:accessLifetime:at:)`` says what is next, ``AdoptionService`` does it.
///
/// ```
///   nothing ──► opening ──► opened ──► opening (its tokens were lost) ──► …, at most three times
///                 │ ▲
///                 ▼ │ after ten minutes
///               refused
/// ```
struct AdoptionRecord: Sendable, Equatable {
    private static let version = 1.0
    /// Seconds for which an instance alone may open a session. If it dies, another one takes over then.
    static let claimDuration = 15.0
    /// Seconds before a refusal is asked about again.
    static let refusalDuration = 600.0
    /// How often a former session may be adopted, if the tokens are never used.
    static let mostSessions = 3
    /// Seconds that a client may take to use the last of an access token's lifetime.
    static let patience = 120.0
    /// Seconds that a record is kept at most: issuers are left within a year.
    static let longestLifetime = 400 * 86_400.0

    enum State: Sendable, Equatable {
        /// An instance is opening a session.
        case opening(by: String, until: UnixTime)
        /// It was refused.
        case refused(until: UnixTime)
        case opened(session: String, at: UnixTime)
    }

    var state: State
    /// How many sessions were opened.
    var sessions = 0
    /// Until when a session that was opened is remembered.
    var keptUntil: UnixTime
}

/// What is to be done with a token of a former issuer.
enum AdoptionStep: Sendable, Equatable {
    /// Claim it, and open a session.
    ///
    /// - sessions: How many were opened before.
    case open(sessions: Int)
    /// Its tokens may have been lost: if the session is still there and nobody has used it, open another.
    case openIfUnused(session: String, sessions: Int)
    /// Another instance opens one, or it was refused.
    case wait(until: UnixTime)
    /// It is adopted.
    ///
    /// - from: When its tokens would have been used, unless they were lost; nil: that is not looked at any more.
    case nothing(lostFrom: UnixTime?)
}

extension AdoptionRecord {
    /// - Parameters:
    ///   - record: Nil if there is none.
    ///   - accessLifetime: Seconds. A client that has its tokens asks for new ones by then.
    static func step(_ record: AdoptionRecord?, accessLifetime: Double, at now: UnixTime) -> AdoptionStep {
        guard let record else { return .open(sessions: 0) }
        switch record.state {
        case .opening(_, let until), .refused(let until):
            return now < until ? .wait(until: until) : .open(sessions: record.sessions)
        case .opened(let session, let opened):
            guard record.sessions < mostSessions else { return .nothing(lostFrom: nil) }
            let lost = opened + accessLifetime + patience
            return now < lost
                ? .nothing(lostFrom: lost) : .openIfUnused(session: session, sessions: record.sessions)
        }
    }

    /// Until when a session that is opened for this token is remembered: as long as the token could bring it back after
    /// a sign-out. A `sid` comes with further tokens, which are not known yet: it is remembered as long as an unused
    /// session of the tenant's own issuer lives.
    ///
    /// - Parameters:
    ///   - sessionLifetime: Seconds.
    ///   - leeway: Seconds for which a token is accepted after its expiry.
    static func keptUntil(
        _ principal: Principal,
        sessionLifetime: Double,
        leeway: Double,
        at now: UnixTime
    ) -> UnixTime {
        let end = endOfUse(principal, leeway: leeway, at: now)
        let least = principal.sessionID == nil ? now : now + sessionLifetime
        return min(max(end, least), now + longestLifetime)
    }

    /// From when the token is surely not accepted any more.
    static func endOfUse(_ principal: Principal, leeway: Double, at now: UnixTime) -> UnixTime {
        principal.expiresAt.map { $0 + leeway + claimDuration } ?? now + longestLifetime
    }

    /// Seconds for which the store keeps it.
    func lifetime(at now: UnixTime) -> Double {
        let until: UnixTime =
            switch state {
            case .opening(_, let until), .refused(let until): sessions == 0 ? until : max(until, keptUntil)
            case .opened: keptUntil
            }
        return max(1, until - now)
    }
}

// MARK: - In the store

extension AdoptionRecord {
    var json: [UInt8] {
        var object: JSONObject = [
            "v": .number(JSONNumber(Int(Self.version))), "sessions": .number(JSONNumber(sessions)),
            "kept_until": .number(Self.wholeSeconds(keptUntil)),
        ]
        switch state {
        case .opening(let owner, let until):
            object["opening"] = .string(owner)
            object["until"] = .number(Self.wholeSeconds(until))
        case .refused(let until):
            object["refused"] = .bool(true)
            object["until"] = .number(Self.wholeSeconds(until))
        case .opened(let session, let opened):
            object["session"] = .string(session)
            object["at"] = .number(Self.wholeSeconds(opened))
        }
        return JSONWriter.bytes(of: object)
    }

    private static func wholeSeconds(_ time: UnixTime) -> JSONNumber {
        JSONNumber(Int(min(max(time.seconds.rounded(.down), 0), 1e12)))
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let sessions = object["sessions"]?.double, (0...Double(Self.mostSessions)).contains(sessions),
            let keptUntil = object["kept_until"]?.double
        else { return nil }
        let until = object["until"]?.double.map(UnixTime.init)
        let state: State
        if let owner = object["opening"]?.string, let until {
            state = .opening(by: owner, until: until)
        } else if object["refused"] == .bool(true), let until {
            state = .refused(until: until)
        } else if let session = object["session"]?.string, let opened = object["at"]?.double {
            state = .opened(session: session, at: UnixTime(opened))
        } else {
            return nil
        }
        self.init(state: state, sessions: Int(sessions), keptUntil: UnixTime(keptUntil))
    }
}
