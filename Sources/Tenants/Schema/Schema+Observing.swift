extension Schema {
    static let log = SchemaObject([
        SchemaKey(
            "level",
            level,
            standard: "info",
            "The least important messages that are written."
        ),
        SchemaKey("levels", .object(levels), "The same for parts of the gateway, where it is to be another."),
        SchemaKey(
            "format",
            .choice(LogSettings.Format.allCases.map(\.rawValue)),
            standard: "json",
            "One JSON object or one readable text a line."
        ),
        SchemaKey("access", .boolean, standard: "true", "One line a request."),
        SchemaKey(
            "query",
            .boolean,
            standard: "false",
            "Whether that line has the query; values of tokens and the like are left out."
        ),
    ])

    private static let level = SchemaType.choice(LogSettings.Level.allCases.map(\.rawValue))

    static let levels = SchemaObject(
        LogModule.allCases.map { SchemaKey($0.rawValue, level, $0.meaning) }
    )

    static let tracing = SchemaObject([
        SchemaKey(
            "otlp",
            .url(example: "http://127.0.0.1:4318"),
            isRequired: true,
            "The OTLP/HTTP collector; traces go to `/v1/traces` below it."
        ),
        SchemaKey(
            "sample",
            .decimal(0...1),
            standard: "0.1",
            "The share of requests that are traced, of those for which no `traceparent` decides."
        ),
    ])
}
