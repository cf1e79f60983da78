import Testing
import Upstream

/// W3C Trace Context level 1, section 3.2.
struct TraceParentTests {
    private func parent(_ text: String) -> TraceParent? {
        let bytes = Array(text.utf8)
        return TraceParent(bytes.span, 0..<bytes.count)
    }

    @Test func identifiersAndFlagAreRead() throws {
        let parent = try #require(self.parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        #expect(parent.traceHigh == 0x0af7_6519_16cd_43dd)
        #expect(parent.traceLow == 0x8448_eb21_1c80_319c)
        #expect(parent.spanID == 0xb7ad_6b71_6920_3331)
        #expect(parent.isSampled)
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("03", true), ("ff", true), ("fe", false)])
    func lowestFlagBitIsSampled(flags: String, isSampled: Bool) {
        #expect(parent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-\(flags)")?.isSampled == isSampled)
    }

    @Test func laterVersionIsReadAsFarAsKnown() throws {
        let known = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        #expect(parent("01-\(known)") == parent("00-\(known)"))
        #expect(parent("fe-\(known)-more") == parent("00-\(known)"))
        #expect(parent("00-\(known)") != nil)
    }

    @Test(arguments: [
        "", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
    ])
    func invalidTraceparentIsRejected(text: String) {
        #expect(parent(text) == nil)
    }
}
