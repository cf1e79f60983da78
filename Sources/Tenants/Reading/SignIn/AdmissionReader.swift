import ConfigurationText
import Verification

/// Reads `sign_in.who`.
enum AdmissionReader {
    /// - Parameter providers: The tenant's.
    static func read(
        _ entry: DocumentNode.Entry,
        providers: [SignIn.Provider],
        _ session: ReadingSession
    ) -> SignInAdmission? {
        let keys = Schema.who
        let node = entry.value
        guard case .map = node.content else { return nil }
        let domains = node[keys.emailDomains].map { readDomains($0, session) } ?? []
        let file = node[keys.emailsFile].flatMap { readFile($0, session) }
        let groups = node.read(keys.groups) ?? []
        let claim = node[keys.groupsClaim].map { ClaimPlaceReader.read($0, name: keys.groupsClaim.name, session) }
        if node[keys.emailDomains] == nil, node[keys.emailsFile] == nil, node[keys.groups] == nil {
            return session.at(entry).refuse(
                "\"who\" says nothing of who may sign in: add \"email_domains\", \"emails_file\" or \"groups\", or leave it out"
            )
        }
        if let value = node[keys.groups], !providers.contains(where: \.hasGroups) {
            session.at(value).error(
                "none of the providers has groups, so that nobody can sign in: add one to \"providers\""
            )
        }
        guard let place = claim ?? ClaimPlace(keys.groupsClaim.default) else { return nil }
        return SignInAdmission(emailDomains: domains, emailsFile: file, groups: groups, groupsClaim: place)
    }

    private static func readDomains(_ list: DocumentNode, _ session: ReadingSession) -> [String] {
        var domains: [String] = []
        for item in list.items {
            guard let scalar = item.filled else { continue }
            let fault = "\"email_domains\" holds what follows the \"@\" of addresses, and \(scalar.shown) does not"
            if let domain = session.at(item).value(of: try domain(scalar.text), or: fault) { domains.append(domain) }
        }
        return domains
    }

    private static func domain(_ text: String) throws(Remedy) -> String {
        let domain = text.lowercased()
        try NetworkText.checkName(domain)
        return domain
    }

    /// - Returns: Its path; nil if it cannot be read, which was reported.
    private static func readFile(_ value: DocumentNode, _ session: ReadingSession) -> String? {
        guard let scalar = value.filled, let bytes = session.content(of: value, name: "\"emails_file\"") else {
            return nil
        }
        do throws(AllowedEmailsFault) {
            _ = try AllowedEmails(bytes)
        } catch {
            return session.at(value).refuse("\"emails_file\" \(error.description)")
        }
        return session.resolve(scalar.text)
    }
}

extension SignIn.Provider {
    fileprivate var hasGroups: Bool {
        switch self {
        case .apple, .google: false
        case .named: true
        }
    }
}
