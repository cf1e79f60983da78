import Tenants
import Time
public import Verification

/// A key set as it came from its provider, and when: what instances share through the store and what is kept on disk.
///
/// It holds public keys only and therefore is not sealed. Whatever is read back is checked like an answer from the
/// network; the clock of whoever wrote it may be another than ours.
public struct KeySetRecord: Sendable, Equatable {
    /// Where the provider's metadata was found, and what it said (OpenID Connect Discovery 1.0 section 4.2).
    struct Discovery: Sendable, Equatable {
        var keySetURL: String
        var fetchedAt: UnixTime
    }

    /// Which set it is; ``RemoteKeySource/locationText``.
    var location: String
    /// The time of the last success.
    var fetchedAt: UnixTime
    /// As the provider has it.
    var freshUntil: UnixTime
    /// The entity tag (RFC 9110 section 8.8.3) to ask with next time.
    var entityTag: String?
    /// The set, byte for byte.
    var keySet: [UInt8]
    /// For a source with discovery.
    var discovery: Discovery?
}

extension KeySetRecord {
    /// The longest text that is read back: the set in a JSON string, with every byte of it escaped, and the rest.
    static let maximumLength = 2 * KeySet.maximumLength + 16 * 1024

    var json: [UInt8] {
        var object: JSONObject = ["location": .string(location)]
        object["fetched_at"] = JSONNumber(fetchedAt.seconds).map(JSONValue.number)
        object["fresh_until"] = JSONNumber(freshUntil.seconds).map(JSONValue.number)
        object["etag"] = entityTag.map(JSONValue.string)
        if let discovery {
            object["discovery"] = [
                "jwks_uri": .string(discovery.keySetURL),
                "fetched_at": JSONNumber(discovery.fetchedAt.seconds).map(JSONValue.number) ?? .null,
            ]
        }
        object["jwks"] = .string(String(decoding: keySet, as: UTF8.self))
        return JSONWriter.bytes(of: object)
    }

    /// - Returns: Nil for what is no such record.
    init?(json: [UInt8]) {
        guard json.count <= Self.maximumLength, let object = (try? JSONParser.parse(json))?.object,
            let location = object["location"]?.string, let keySet = object["jwks"]?.string,
            let fetchedAt = object["fetched_at"]?.double, let freshUntil = object["fresh_until"]?.double
        else { return nil }
        self.init(
            location: location,
            fetchedAt: UnixTime(fetchedAt),
            freshUntil: UnixTime(freshUntil),
            entityTag: object["etag"]?.string,
            keySet: Array(keySet.utf8)
        )
        if let members = object["discovery"]?.object, let url = members["jwks_uri"]?.string,
            let fetchedAt = members["fetched_at"]?.double
        {
            discovery = Discovery(keySetURL: url, fetchedAt: UnixTime(fetchedAt))
        }
    }
}

/// A record and the keys in it.
public struct HeldKeySet: Sendable, Equatable {
    let record: KeySetRecord
    public let keys: KeySet

    /// - Throws: What is wrong with the set. A set without keys is none: its provider has withdrawn them all.
    public init(_ record: KeySetRecord) throws(KeySetError) {
        self.record = record
        keys = try KeySet(jwks: record.keySet, origin: .url)
    }
}

extension RemoteKeySource {
    /// Where the set is, as one text, by which instances know that they speak of the same.
    var locationText: String {
        switch location {
        case .keySet(let url): url
        case .discovery(let issuer): "discovery:\(issuer)"
        }
    }
}
