import Tenants
import Time
public import Verification

/// A key set as its provider sent it, with its times: in the store for all instances, and on disk.
///
/// It has only public keys and is not sealed. What is read back is checked like a response from the network; it may
/// have been written by another clock.
public struct KeySetRecord: Sendable, Equatable {
    /// The provider's metadata (OpenID Connect Discovery 1.0 section 4.2).
    struct Discovery: Sendable, Equatable {
        var keySetURL: String
        var fetchedAt: UnixTime
    }

    /// ``RemoteKeySource/locationText``.
    var location: String
    /// The time of the last success.
    var fetchedAt: UnixTime
    /// By the provider's response.
    var freshUntil: UnixTime
    /// The entity tag (RFC 9110 section 8.8.3) for the next fetch.
    var entityTag: String?
    /// The response's bytes.
    var keySet: [UInt8]
    /// For a source with discovery.
    var discovery: Discovery?
}

extension KeySetRecord {
    /// Bytes: the set as a JSON string with every byte escaped, and the other members.
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

    /// - Returns: Nil if it is not a valid record.
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

/// A record with its parsed keys.
public struct HeldKeySet: Sendable, Equatable {
    let record: KeySetRecord
    public let keys: KeySet

    /// A set without keys is valid: its provider has withdrawn them all.
    ///
    /// - Throws: If the set is invalid.
    public init(_ record: KeySetRecord) throws(KeySetError) {
        self.record = record
        keys = try KeySet(jwks: record.keySet, origin: .url)
    }
}

extension RemoteKeySource {
    /// Identifies the set between instances.
    var locationText: String {
        switch location {
        case .keySet(let url): url
        case .discovery(let issuer): "discovery:\(issuer)"
        }
    }
}
