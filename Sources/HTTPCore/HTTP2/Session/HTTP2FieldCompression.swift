/// The two dynamic tables of a connection (RFC 7541 section 2.2): for the peer's blocks, and for ours.
struct HTTP2FieldCompression: Sendable {
    var decoder = HPACKDecoder()
    var encoder = HPACKEncoder()
}
