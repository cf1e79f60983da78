import TestSupport

@testable import HTTPCore

/// Names for our codec where NIO's, which has the same, is at hand too.
typealias OurDecoder = HPACKDecoder
typealias OurEncoder = HPACKEncoder
