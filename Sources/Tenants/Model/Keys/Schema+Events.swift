extension Schema {
    static let events = EventKeys()

    struct EventKeys: KeyTable {
        let url = Key("url", .url(example: "https://hooks.example.com/gatehouse"), isRequired: true)
            .means("Where events are posted to: https, or http on loopback.")
        let secret = Key("secret", .secret, isRequired: true)
            .means(
                "What they are signed with: `whsec_` and base64, or a text of 24 bytes or more; several with a space between "
                    + "them sign together. Either this or `secret_file`."
            )
            .unless("secret_file")
        let secretFile = Key("secret_file", .path(example: "webhook.secret")).means("A file with the same.")
        let types = Key(
            "types",
            .list(.choice(EventType.self), minimum: 1, maximum: EventType.allCases.count),
            default: EventType.allCases.filter { $0 != .refused }
        )
        .means("Which of them.", example: "[signed_in, signed_out, revoked, refused]")
    }
}
