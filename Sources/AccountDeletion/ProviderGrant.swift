import IdentityProvider
import Tenants
import Time
import Verification

/// A refresh token of Apple's or Google's that is kept with an account, to be taken back when that is deleted.
struct ProviderGrant: Sendable, Equatable {
    let provider: SignIn.Provider
    /// Whose client it was given to.
    let tenant: String
    /// The person's subject there; nil for one that an earlier version has kept.
    var login: String?
    let given: GivenToken
    let at: UnixTime

    /// Whether both are one person's at one client, who is rid of all its tokens with one of them.
    func replaces(_ other: ProviderGrant) -> Bool {
        guard provider == other.provider, given.clientID.utf8.elementsEqual(other.given.clientID.utf8) else {
            return false
        }
        guard let login, let before = other.login else { return true }
        return login.utf8.elementsEqual(before.utf8)
    }

    /// The step of a deletion that takes it back; nil for a provider that takes none.
    var step: Deletion.Step? {
        switch provider {
        case .apple: .apple
        case .google: .google
        case .named: nil
        }
    }
}

/// The tokens that are kept with one account.
struct ProviderGrantList: Sendable, Equatable {
    /// Of several clients and logins. The oldest go first.
    static let most = 16
    private static let version = 1.0

    private(set) var grants: [ProviderGrant] = []

    mutating func add(_ grant: ProviderGrant) {
        grants.removeAll { grant.replaces($0) }
        grants.append(grant)
        if grants.count > Self.most { grants.removeFirst(grants.count - Self.most) }
    }

    mutating func remove(_ grant: ProviderGrant) { grants.removeAll { $0 == grant } }
}

// MARK: - In the store

extension ProviderGrantList {
    /// To be sealed.
    var json: [UInt8] {
        let elements = grants.map { grant -> JSONValue in
            var object: JSONObject = [
                "provider": .string(grant.provider.rawValue), "tenant": .string(grant.tenant),
                "client": .string(grant.given.clientID), "token": .string(grant.given.token), "at": .time(grant.at),
            ]
            object["login"] = grant.login.map(JSONValue.string)
            return .object(object)
        }
        return JSONWriter.bytes(of: ["v": 1, "grants": .array(elements)] as JSONObject)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let elements = object["grants"]?.array
        else { return nil }
        grants = elements.compactMap { $0.object.flatMap(ProviderGrant.init) }
        guard grants.count == elements.count, grants.count <= Self.most else { return nil }
    }
}

extension ProviderGrant {
    fileprivate init?(_ object: JSONObject) {
        guard let provider = object["provider"]?.string.flatMap(SignIn.Provider.init),
            let tenant = object["tenant"]?.string, let clientID = object["client"]?.string,
            let given = GivenToken(clientID: clientID, token: object["token"]?.string), let at = object["at"]?.time
        else { return nil }
        self.init(provider: provider, tenant: tenant, login: object["login"]?.string, given: given, at: at)
    }
}
