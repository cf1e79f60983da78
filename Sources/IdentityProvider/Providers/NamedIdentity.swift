import Tenants
import Verification

/// Reads who somebody is at a named provider, from the claims of a verified ID token or from user info.
struct NamedIdentity: Sendable {
    /// Groups that are looked at, and bytes of each.
    private static let mostGroups = 1000
    private static let longestGroup = 256

    let rules: NamedProvider
    /// Where groups are; nil: they do not count.
    let groups: ClaimPlace?

    /// - Parameter who: The tenant's.
    init(_ rules: NamedProvider, who: SignInAdmission?) {
        self.rules = rules
        groups = who.flatMap { $0.groups.isEmpty ? nil : $0.groupsClaim }
    }

    /// - Parameter email: The provider's list of addresses decides instead of the claims; nil: there is no such list.
    /// - Returns: nil if the subject is missing, longer than 255 bytes, or not valid in a header field. An e-mail that is
    ///   not a single address is omitted.
    func identity(_ claims: JSONObject, email listed: ListedEmail? = nil) -> ProviderIdentity? {
        guard let subject = Self.identifier(rules.subject.value(in: claims)), ProviderIdentity.isSubject(subject) else {
            return nil
        }
        let found = listed?.email ?? rules.email.value(in: claims)?.string
        let email = found.flatMap { ProviderEmail.isValid($0) ? $0 : nil }
        let isVerified = listed?.email == nil ? isEmailVerified(claims) : listed?.isVerified ?? false
        return ProviderIdentity(
            provider: .named(rules.name),
            subject: subject,
            email: email,
            isEmailVerified: email != nil && isVerified,
            name: GivenName.read(rules.fullName.value(in: claims)),
            claims: mapped(claims),
            groups: groups.map { groupNames($0.value(in: claims)) } ?? []
        )
    }

    /// Whether `claims` lack something that user info may have.
    func isIncomplete(_ claims: JSONObject) -> Bool {
        var places = rules.claims.map(\.place) + [rules.email]
        if let groups { places.append(groups) }
        return places.contains { $0.value(in: claims) == nil }
    }

    /// GitHub's identifiers are numbers.
    private static func identifier(_ value: JSONValue?) -> String? {
        switch value {
        case .string(let text)?: text
        case .number(let number)? where number.literal.utf8.allSatisfy({ (0x30...0x39).contains($0) }): number.literal
        case .number?, .null?, .bool?, .array?, .object?, nil: nil
        }
    }

    private func isEmailVerified(_ claims: JSONObject) -> Bool {
        switch rules.emailVerified {
        case .always: true
        case .never: false
        case .claim(let place): ProviderIdentity.isTrue(place.value(in: claims))
        }
    }

    /// Claims beyond 4 KiB are left out, the last ones first: they are part of every token.
    private func mapped(_ claims: JSONObject) -> JSONObject {
        var mapped = JSONObject()
        var left = NamedProvider.longestClaims
        for claim in rules.claims {
            guard let value = claim.place.value(in: claims), value != .null else { continue }
            let length = JSONWriter.bytes(of: [claim.name: value] as JSONObject).count
            guard length <= left else { break }
            left -= length
            mapped[claim.name] = value
        }
        return mapped
    }

    private func groupNames(_ value: JSONValue?) -> [String] {
        let texts: [String] =
            switch value {
            case .string(let text)?: [text]
            case .array(let elements)?: elements.prefix(Self.mostGroups).compactMap(\.string)
            // Zitadel's roles are the names of an object.
            case .object(let object)?: object.members.prefix(Self.mostGroups).map(\.name)
            case .null?, .bool?, .number?, nil: []
            }
        return texts.filter { !$0.isEmpty && $0.utf8.count <= Self.longestGroup }
    }
}

/// What a provider's list of a user's addresses says, as GitHub gives it: the primary one.
struct ListedEmail: Sendable, Equatable {
    /// nil if there is no primary one.
    let email: String?
    let isVerified: Bool

    /// - Returns: nil for anything but a list of objects.
    init?(_ body: [UInt8]) {
        guard let elements = (try? JSONParser.parse(body))?.array else { return nil }
        let primary = elements.lazy.compactMap(\.object).first { $0["primary"]?.bool == true }
        email = primary?["email"]?.string
        isVerified = primary?["verified"]?.bool ?? false
    }
}
