@testable import Gateway

extension RequestID {
    /// As it stands in answers and logs.
    var text: String {
        var bytes: [UInt8] = []
        forEachByte { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
