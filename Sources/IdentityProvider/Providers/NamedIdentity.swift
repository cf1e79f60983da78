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

    /// - Parameters:
    ///   - email: The provider's list of addresses decides instead of the claims; nil: there is no such list.
    ///   - source: Where the e-mail is, and whether it is verified: both from one object, since one object's word about its
    ///     own address must not make another's count. nil: `claims`.
    /// - Returns: nil if the subject is missing, longer than 255 bytes, or not valid in a header field. An e-mail that is
    ///   not a single address is omitted.
    func identity(
        _ claims: JSONObject,
        email listed: ListedEmail? = nil,
        emailFrom source: JSONObject? = nil
    ) -> ProviderIdentity? {
        guard let subject = Self.identifier(rules.subject.value(in: claims)), ProviderIdentity.isSubject(subject) else {
            return nil
        }
        let source = source ?? claims
        let found = listed?.email ?? rules.email.value(in: source)?.string
        let email = found.flatMap { ProviderEmail.isValid($0) ? $0 : nil }
        let isVerified = listed.map { $0.email != nil && $0.isVerified } ?? isEmailVerified(source)
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

    /// Which of two objects about one user says what the e-mail is, and whether it is verified.
    ///
    /// - Parameters:
    ///   - claims: Of the ID token, which counts if it has an e-mail; but not if user info has the same with a verdict.
    ///   - info: Of user info.
    func emailSource(_ claims: JSONObject, _ info: JSONObject) -> JSONObject {
        guard let email = rules.email.value(in: claims)?.string else { return info }
        guard case .claim(let place) = rules.emailVerified, place.value(in: claims) == nil,
            let other = rules.email.value(in: info)?.string, other.utf8.elementsEqual(email.utf8)
        else { return claims }
        return info
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
    /// A list that the provider does not show. Then no address counts as verified.
    static let hidden = ListedEmail(email: nil, isVerified: false)

    /// nil if there is no primary one.
    let email: String?
    let isVerified: Bool

    private init(email: String?, isVerified: Bool) {
        self.email = email
        self.isVerified = isVerified
    }

    /// - Returns: nil for anything but a list of objects.
    init?(_ body: [UInt8]) {
        guard let elements = (try? JSONParser.parse(body))?.array else { return nil }
        let primary = elements.lazy.compactMap(\.object).first { $0["primary"]?.bool == true }
        email = primary?["email"]?.string
        isVerified = primary?["verified"]?.bool ?? false
    }
}
