extension UInt8 {
    /// ASCII letters in lower case, other bytes unchanged.
    var lowercasedASCII: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}
