/// The two dynamic tables of a connection (RFC 7541 section 2.2): what the peer's blocks mean, and what ours do.
struct HTTP2FieldCompression: Sendable {
    var decoder = HPACKDecoder()
    var encoder = HPACKEncoder()
}
