package import HTTPCore
package import Tenants

/// A request's client address, beyond trusted proxies.
package enum ClientAddress {
    /// Addresses of trusted proxies that are skipped: no request comes through so many.
    static let maximumProxies = 64

    /// The rightmost address of `X-Forwarded-For` that is not a trusted proxy's: anyone could have written those left
    /// of it.
    ///
    /// Only the last ``maximumProxies`` are read; if all of them are trusted, the first of these is used.
    ///
    /// - Returns: Its text, or nil if the peer itself is the client, or the value is no address.
    package static func read(_ head: RequestHead, _ bytes: Span<UInt8>, trustedProxies: [AddressRange]) -> [UInt8]? {
        var addresses: [Range<Int>] = []
        for index in 0..<head.fieldCount {
            let field = head.fields[index]
            guard field.known == .xForwarded, !field.isAlias, bytes.isFieldName(field.name, "x-forwarded-for") else {
                continue
            }
            bytes.forEachListMember(field.value) { addresses.append($0) }
        }
        var last: [UInt8]?
        for range in addresses.suffix(maximumProxies).reversed() {
            let text = bytes.extracting(range).withUnsafeBufferPointer(Array.init)
            guard let address = IPAddress(String(decoding: text, as: UTF8.self)) else { return last }
            last = text
            if !trustedProxies.contains(where: { $0.contains(address) }) { return text }
        }
        return last
    }
}
