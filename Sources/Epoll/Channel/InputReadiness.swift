/// What a channel knows of the bytes that its socket has for it, and whether it wants them.
struct InputReadiness {
    /// The socket has, or may have, bytes: the kernel says so once for all that came.
    var isReadable = false
    /// The peer sends no more, or the connection is broken. What is left is read to its end even in a pause, as only
    /// the end shows that the connection is over.
    var isEnding = false
    /// Whether each read asks for the next one.
    var isAutomatic = true
    /// Whether a read was requested.
    var isWanted = false
    /// Whether the last read filled its buffer.
    var isBulk = false

    var isDue: Bool { isReadable && (isWanted || isEnding) }
}
