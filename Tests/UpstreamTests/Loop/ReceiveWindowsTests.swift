import TestSupport
import Testing
import Upstream

/// How much servers may send in advance for one client connection.
struct ReceiveWindowsTests {
    private struct Stream {
        var outstanding = ReceiveWindows.least
        var share = 0
    }

    @Test func singleStreamGetsWholeWindowAtHalf() {
        var windows = ReceiveWindows()
        var share = 0
        #expect(windows.window(outstanding: 2048, share: &share, streams: 1) == 65_535)
        #expect(windows.window(outstanding: 40_000, share: &share, streams: 1) == 40_000)
        #expect(share == 40_000)
        #expect(windows.window(outstanding: 30_000, share: &share, streams: 1) == 65_535)
        windows.giveBack(&share)
        #expect(windows.held == 0)
        #expect(share == 0)
        #expect(ReceiveWindows.window(outstanding: 32_767) == 65_535)
        #expect(ReceiveWindows.window(outstanding: 32_768) == 32_768)
    }

    @Test func everyStreamKeepsMinimumWindow() {
        var windows = ReceiveWindows()
        var shares = [Int](repeating: 0, count: 100)
        for index in shares.indices {
            let window = windows.window(outstanding: 0, share: &shares[index], streams: index + 1)
            #expect(window >= ReceiveWindows.least)
        }
    }

    /// Random streams: the sum of all windows stays within the bound, and nothing is held once all have ended.
    @Test func totalWindowIsBounded() {
        var random = SplitMix64(seed: 0x77_69_6e)
        let bound = ReceiveWindows.total + 100 * ReceiveWindows.least
        for _ in 0..<50 {
            var windows = ReceiveWindows()
            var streams: [Stream] = []
            for _ in 0..<2000 {
                switch random.below(8) {
                case 0, 1:
                    guard streams.count < 100 else { continue }
                    streams.append(Stream())
                    widen(&streams, streams.count - 1, &windows)
                case 2:
                    guard !streams.isEmpty else { continue }
                    let index = random.below(streams.count)
                    windows.giveBack(&streams[index].share)
                    streams.remove(at: index)
                default:
                    guard !streams.isEmpty else { continue }
                    let index = random.below(streams.count)
                    streams[index].outstanding -= random.below(streams[index].outstanding + 1)
                    if random.below(3) > 0 { widen(&streams, index, &windows) }
                }
                #expect(streams.reduce(0) { $0 + $1.outstanding } <= bound)
                #expect(windows.held >= 0)
            }
            for index in streams.indices { windows.giveBack(&streams[index].share) }
            #expect(windows.held == 0)
        }
    }

    private func widen(_ streams: inout [Stream], _ index: Int, _ windows: inout ReceiveWindows) {
        let outstanding = streams[index].outstanding
        let count = streams.count
        let window = windows.window(outstanding: outstanding, share: &streams[index].share, streams: count)
        #expect(window >= outstanding)
        streams[index].outstanding = window
    }
}
