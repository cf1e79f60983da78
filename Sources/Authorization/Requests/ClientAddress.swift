package import HTTPCore
package import Tenants

/// Whom a request came from, beyond the proxies that are trusted to say so.
package enum ClientAddress {
    /// Addresses of trusted proxies that are gone past: no request has come through so many.
    static let mostProxies = 64

    /// The rightmost address of `X-Forwarded-For` that is not a trusted proxy's: what stands left of it anybody could
    /// have written.
    ///
    /// Only the last ``mostProxies`` are looked at; where all of them are trusted, the first of these is taken.
    ///
    /// - Returns: Its text, or nil where the peer itself is the client, or what it passed on is no address.
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
        for range in addresses.suffix(mostProxies).reversed() {
            let text = bytes.extracting(range).withUnsafeBufferPointer(Array.init)
            guard let address = IPAddress(String(decoding: text, as: UTF8.self)) else { return last }
            last = text
            if !trustedProxies.contains(where: { $0.contains(address) }) { return text }
        }
        return last
    }
}
