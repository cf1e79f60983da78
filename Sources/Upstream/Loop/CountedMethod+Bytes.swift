package import Counting
import HTTPCore

extension CountedMethod {
    /// - Parameter range: Of the method in the bytes of a head.
    package init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        switch range.count {
        case 3: self = bytes.isExactly("GET", range) ? .get : bytes.isExactly("PUT", range) ? .put : .other
        case 4: self = bytes.isExactly("POST", range) ? .post : bytes.isExactly("HEAD", range) ? .head : .other
        case 5: self = bytes.isExactly("PATCH", range) ? .patch : .other
        case 6: self = bytes.isExactly("DELETE", range) ? .delete : .other
        case 7: self = bytes.isExactly("OPTIONS", range) ? .options : .other
        default: self = .other
        }
    }
}
