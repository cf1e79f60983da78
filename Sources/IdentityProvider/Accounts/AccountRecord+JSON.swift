import Tenants
import Time
import Verification

/// Accounts in the store: a JSON object.
extension AccountRecord {
    private static let version = 1.0

    var json: [UInt8] {
        var object: JSONObject = [
            "v": 1,
            "sub": .string(account.subject),
            "created": .time(account.createdAt),
            "email_verified": .bool(account.isEmailVerified),
            "private_email": .bool(account.isPrivateEmail),
            "claims": .object(account.claims),
            "identities": .array(links.map { .object($0.json) }),
        ]
        if let role = account.role { object["role"] = .string(role) }
        if let email = account.email { object["email"] = .string(email) }
        if let name = account.name { object["name"] = .string(name) }
        if !account.passkeys.isEmpty {
            object["passkeys"] = .array(account.passkeys.map { .object($0.json) })
        }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let subject = object["sub"]?.string, let createdAt = object["created"]?.double,
            let isEmailVerified = object["email_verified"]?.bool, let isPrivateEmail = object["private_email"]?.bool,
            let claims = object["claims"]?.object, let elements = object["identities"]?.array
        else { return nil }
        let links = elements.compactMap { $0.object.flatMap(Link.init) }
        guard links.count == elements.count else { return nil }
        let passkeyElements = object["passkeys"]?.array ?? []
        let passkeys = passkeyElements.compactMap { $0.object.flatMap(AccountPasskey.init) }
        guard passkeys.count == passkeyElements.count else { return nil }
        let account = Account(
            subject: subject,
            role: object["role"]?.string,
            email: object["email"]?.string,
            isEmailVerified: isEmailVerified,
            isPrivateEmail: isPrivateEmail,
            name: object["name"]?.string,
            passkeys: passkeys,
            claims: claims,
            createdAt: UnixTime(createdAt)
        )
        self.init(account, links: links)
    }
}

extension AccountRecord.Link {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "provider": .string(identity.provider.rawValue), "sub": .string(identity.subject),
        ]
        if let email { object["email"] = .string(email) }
        if let confirmedAt { object["confirmed"] = .time(confirmedAt) }
        if let transfer { object["transfer"] = ["team": .string(transfer.team), "sub": .string(transfer.subject)] }
        if let former {
            object["former"] = ["sub": .string(former.subject), "transfer": .string(former.transferSubject)]
        }
        return object
    }

    fileprivate init?(_ object: JSONObject) {
        guard let provider = object["provider"]?.string.flatMap(SignIn.Provider.init),
            let subject = object["sub"]?.string
        else { return nil }
        self.init(
            identity: Account.Identity(provider: provider, subject: subject),
            email: object["email"]?.string,
            confirmedAt: object["confirmed"]?.time,
            transfer: object["transfer"]?.object.flatMap { transfer in
                guard let team = transfer["team"]?.string, let subject = transfer["sub"]?.string else { return nil }
                return AppleTransfer(team: team, subject: subject)
            },
            former: object["former"]?.object.flatMap { former in
                guard let subject = former["sub"]?.string, let transferSubject = former["transfer"]?.string else {
                    return nil
                }
                return AppleFormerLogin(subject: subject, transferSubject: transferSubject)
            }
        )
    }
}
