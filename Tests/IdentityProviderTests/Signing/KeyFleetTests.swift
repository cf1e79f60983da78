import Testing

struct KeyFleetTests {
    /// Six hours of rotations, every 90 minutes and by hand.
    @Test(arguments: [1, 2] as [UInt64])
    func everySignedTokenIsVerifiableByUpToDateInstances(_ seed: UInt64) async throws {
        let fleet = KeyFleet(seed: seed)
        try await fleet.run(members: 3, for: 6 * 3600)
        // The simulation was adverse enough.
        #expect(await fleet.keyIDs.count >= 3)
        #expect(await fleet.checks > 1000)
        #expect(await fleet.pauses >= 2)
        #expect(await fleet.kills >= 2)
    }
}
