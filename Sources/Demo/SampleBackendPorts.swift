/// The loopback ports of the sample backends; 0 for any free one.
public struct SampleBackendPorts: Sendable, Equatable {
    public var umuve: Int
    public var finance: Int
    public var chat: Int
    public var clans: Int

    /// The ports of the example configuration.
    public static let example = SampleBackendPorts(umuve: 9001, finance: 9003, chat: 9004, clans: 9005)
    public static let free = SampleBackendPorts(umuve: 0, finance: 0, chat: 0, clans: 0)

    public init(umuve: Int, finance: Int, chat: Int, clans: Int) {
        self.umuve = umuve
        self.finance = finance
        self.chat = chat
        self.clans = clans
    }

    var inOrder: [Int] { [umuve, finance, chat, clans] }
}
