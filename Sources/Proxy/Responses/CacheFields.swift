import HTTPCore

/// The fields that say whether and for how long a response may be kept (RFC 9213 section 2.2).
enum CacheFields {
    private static let names: [StaticString] = [
        "cache-control", "cdn-cache-control", "surrogate-control", "x-accel-expires", "expires", "pragma",
    ]

    static func contain(_ name: String) -> Bool {
        let name = name.lowercased()
        return names.contains { $0.description == name }
    }

    static func contain(_ field: HeadField, _ bytes: Span<UInt8>) -> Bool {
        names.contains { bytes.isFieldName(field.name, $0) }
    }
}
