import TestSupport
import Time

@testable import SharedState

extension SampleKeys {
    static func record(
        _ keySet: [UInt8],
        fetchedAt: UnixTime,
        lifetime: Double = 3600,
        location: String = "https://id.test/keys"
    ) -> KeySetRecord {
        KeySetRecord(location: location, fetchedAt: fetchedAt, freshUntil: fetchedAt + lifetime, keySet: keySet)
    }
}
