import TestSupport

@testable import Store

/// Stored values, which others may have written.
enum StoreFuzz {
    static let targets = [revocationLine, revocationNote, streamID, sealedValue]

    private static let digest = Array("0123456789abcdef0123456789abcdef".utf8)
    private static let notes = [
        RevocationNote(kind: "jti", id: "a", issuer: "https://id.test", reason: "lost \"phone\"\n"),
        RevocationNote(kind: "all"), RevocationNote(kind: "subject", id: "älice"),
    ]

    static let revocationLine = FuzzTarget(
        "revocation-line",
        texts: [
            #"1763719200000-0 1763719200.25 1763805600.0 R {"kind":"jti","id":"a"}"#,
            #"1763719200000-7 1763719200.0 inf W {"kind":"all"}"#, #"1-1 1e9 1.5e+10 R {"kind":"sub","id":"\u00e4"}"#,
        ],
        words: ["inf", "nan", "-inf", "1e308", "0x10", " ", "-", " W ", #"{"kind":"a"}"#, "9007199254740993"]
    ) { bytes in
        guard let record = try? RevocationRecordCodec.read(bytes, tenant: "app", digest: digest) else { return false }
        try hold(record.revokedAt.seconds.isFinite && !record.expiresAt.seconds.isNaN, "a time that is none")
        let line = RevocationRecordCodec.withoutVersion(record)
        let again = try? RevocationRecordCodec.read(line, version: record.version, tenant: "app", digest: digest)
        try hold(again == record, "written again, it is another record")
        let withVersion = Array((RedisStreamID(version: record.version).text + " ").utf8) + line
        try hold(
            (try? RevocationRecordCodec.read(withVersion, tenant: "app", digest: digest)) == record,
            "another version"
        )
        return true
    }

    static let revocationNote = FuzzTarget(
        "revocation-note",
        seeds: notes.map(\.json),
        words: [#""kind":"x","#, #""id":null,"#, #"\u0000"#, #"\ud800"#, #","reason":"#, " "]
    ) { bytes in
        guard let note = RevocationNote(json: bytes.span) else { return false }
        try hold(RevocationNote(json: note.json.span) == note, "written again, it is another note")
        try hold(!note.json.contains(0x0a) && !note.json.contains(0x0d), "written on two lines")
        return true
    }

    static let streamID = FuzzTarget(
        "stream-id",
        texts: ["0-0", "1763719200000-12", "18446744073709551615-18446744073709551615"],
        words: ["-", "00", "+1"]
    ) { bytes in
        guard let id = RedisStreamID(bytes) else { return false }
        try hold(RedisStreamID(Array(id.text.utf8)) == id, "written again, it is another")
        if let version = id.version { try hold(RedisStreamID(version: version) == id, "its version is another's") }
        return true
    }

    /// The first byte chooses the kind of value; the rest is the stored value.
    static let sealedValue = {
        let key = StoreKey(tenant: "app", kind: "fuzz", name: "a")
        let sealer = (try? SealingKeys("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")).map(Sealer.init)
        let seeds = [[], [1], Array("a value".utf8)].compactMap { try? sealer?.seal($0, for: key) }
        return FuzzTarget("sealed-value", seeds: seeds) { bytes in
            let opened = try? sealer?.open(bytes, for: key).value
            try hold((opened != nil) == seeds.contains(bytes), "opened what was not sealed, or not what was")
            // Almost no input is valid: what matters is that each is checked.
            return true
        }
    }()
}
