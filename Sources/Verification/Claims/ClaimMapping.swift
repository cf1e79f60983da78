/// Where an issuer's tokens have what the gateway goes by, if not in the claims of that name.
public struct ClaimMapping: Sendable, Equatable {
    /// What is taken from another place.
    public enum Field: String, Sendable, CaseIterable {
        /// `sub`. A token without it is refused.
        case subject
        case roles
        case scopes
        case email
        /// `sid`.
        case session
        /// `aud`.
        case audience

        /// Whether the names of several places are joined.
        public var isList: Bool { self == .roles || self == .scopes }
    }

    /// The most names that are taken of one field's places; further ones are left out.
    public static let maximumNames = 256

    /// Several for a list, else one; a field that is not here is read as usual.
    public var places: [Field: [ClaimPlace]]
    /// What roles begin with; it is cut off, and roles without it are left out.
    public var rolesPrefix: String

    public init(_ places: [Field: [ClaimPlace]] = [:], rolesPrefix: String = "") {
        self.places = places
        self.rolesPrefix = rolesPrefix
    }

    /// What the places of each mapped field have, in the order of the fields.
    public func findings(in claims: JSONObject) -> [ClaimFinding] {
        Field.allCases.compactMap { finding($0, in: claims) }
    }

    /// - Returns: Nil if the field is not mapped.
    func finding(_ field: Field, in claims: JSONObject) -> ClaimFinding? {
        guard let places = places[field], !places.isEmpty else { return nil }
        var finding = ClaimFinding(field: field)
        for place in places {
            guard let value = place.value(in: claims), value != .null else {
                finding.places.append(ClaimFinding.Place(text: place.text, outcome: .missing))
                continue
            }
            guard let values = Self.values(value, of: field, at: place) else {
                finding.places.append(ClaimFinding.Place(text: place.text, outcome: .unfit))
                continue
            }
            finding.places.append(ClaimFinding.Place(text: place.text, outcome: .read))
            for value in values { take(value, into: &finding) }
        }
        return finding
    }

    private func take(_ value: String, into finding: inout ClaimFinding) {
        var name = value
        if finding.field == .roles, !rolesPrefix.isEmpty {
            guard value.utf8.starts(with: rolesPrefix.utf8) else { return finding.leftOut += 1 }
            name = String(decoding: value.utf8.dropFirst(rolesPrefix.utf8.count), as: UTF8.self)
        }
        if name.isEmpty || finding.values.contains(where: { $0.hasSameBytes(as: name) }) { return }
        guard finding.values.count < Self.maximumNames else { return finding.leftOut += 1 }
        finding.values.append(name)
    }

    /// - Returns: Nil if the value is of no type that the field can have.
    private static func values(_ value: JSONValue, of field: Field, at place: ClaimPlace) -> [String]? {
        switch field {
        case .subject, .email, .session: value.string.map { [$0] }
        case .audience: value.stringOrStrings
        case .roles: names(value, at: place)
        // A scope has no space (RFC 6749 section 3.3): with one it would be read as two by whoever gets them joined.
        case .scopes: names(value, at: place)?.filter { !$0.utf8.contains(UInt8(ascii: " ")) }
        }
    }

    /// A text split at spaces, the texts of an array, the names that an object grants, or the claim's own name if it is
    /// true.
    private static func names(_ value: JSONValue, at place: ClaimPlace) -> [String]? {
        switch value {
        case .string(let text):
            return text.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        case .bool(let isGranted): return isGranted ? [place.lastName] : []
        case .object(let object): return granted(object)
        case .array(let elements):
            var names: [String] = []
            for element in elements {
                switch element {
                case .string(let text): names.append(text)
                case .object(let object):
                    guard let granted = granted(object) else { return nil }
                    names += granted
                case .null, .bool, .number, .array: return nil
                }
            }
            return names
        case .null, .number: return nil
        }
    }

    /// The names of the members that are true, or an object that says more about them. False and null grant nothing.
    private static func granted(_ object: JSONObject) -> [String]? {
        var names: [String] = []
        for member in object.members {
            switch member.value {
            case .bool(true): names.append(member.name)
            case .object(let more): if !more.members.isEmpty { names.append(member.name) }
            case .bool(false), .null: break
            case .number, .string, .array: return nil
            }
        }
        return names
    }
}

/// What the places of one field have in a claims set.
public struct ClaimFinding: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        case read, missing
        /// The value there is of no type that the field can have.
        case unfit
    }

    public struct Place: Sendable, Equatable {
        public let text: String
        public let outcome: Outcome
    }

    public let field: ClaimMapping.Field
    public internal(set) var values: [String] = []
    /// How many names were left out: roles without the prefix, and more names than are taken.
    public internal(set) var leftOut = 0
    public internal(set) var places: [Place] = []
}
