import Verification

/// What is kept of an account that was deleted: its subject, and until that is removed, what leads to it.
struct DeletedAccount: Sendable {
    /// Instances of earlier versions cannot read it, and so let nobody in.
    private static let version = 2.0

    let subject: String
    private let record: AccountRecord?

    /// - Parameter record: The account.
    init(_ record: AccountRecord) {
        subject = record.account.subject
        self.record = record
    }

    /// Nothing leads to it.
    init(subject: String) {
        self.subject = subject
        record = nil
    }

    var isBare: Bool { record == nil }

    /// Its logins, and what they were before an app moved to another of Apple's teams.
    var identities: [Account.Identity] {
        let links = record?.links ?? []
        return links.map(\.identity)
            + links.compactMap { link in
                link.former.map { Account.Identity(provider: link.identity.provider, subject: $0.subject) }
            }
    }

    /// What Apple calls its users towards the team that an app moves to, or has moved to.
    var transfers: [AppleTransferKey] {
        (record?.links ?? []).flatMap { [$0.transfer?.subject, $0.former?.transferSubject] }
            .compactMap { $0.map(AppleTransferKey.init) }
    }

    var emails: [EmailAddress] {
        let texts = [record?.account.email] + (record?.links.map(\.email) ?? [])
        return texts.compactMap { $0.flatMap(EmailAddress.init) }.reduce(into: []) { emails, email in
            if !emails.contains(email) { emails.append(email) }
        }
    }

    var passkeys: [PasskeyKey] { record?.account.passkeys.map { PasskeyKey($0.credential.id) } ?? [] }
}

// MARK: - In the store

extension DeletedAccount {
    var json: [UInt8] {
        var object: JSONObject = ["v": 2, "sub": .string(subject)]
        if let record { object["account"] = .bytes(record.json) }
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for anything but what ``json`` gives.
    init?(json: [UInt8]) {
        guard let object = try? JSONParser.parse(json).object, object["v"]?.double == Self.version,
            let subject = object["sub"]?.string
        else { return nil }
        guard let account = object["account"] else {
            self.init(subject: subject)
            return
        }
        guard let record = account.bytes.flatMap(AccountRecord.init(json:)),
            record.account.subject.utf8.elementsEqual(subject.utf8)
        else { return nil }
        self.init(record)
    }
}
