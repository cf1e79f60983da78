import Testing

/// Tests with client programs run one after the other: each needs a processor of its own.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum RealClients {}
