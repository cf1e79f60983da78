import Testing

/// Tests with programs as clients run one after the other: each takes a processor of its own, and a machine has few.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum RealClients {}
