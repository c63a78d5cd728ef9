extension WebAddress {
  /// True when others cannot read what is sent: the address is encrypted, or on this machine.
  package var isSafe: Bool { scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(host) }

  /// True when its host is in a private network: by its number, by an ending that public names do not have, or by a name without a dot.
  ///
  /// Numbers that a resolver may read in another way, such as `010.1.1.1` or `0x0a010101`, do not count as private.
  package var isPrivate: Bool {
    if host.hasPrefix("[") {
      let group = host.dropFirst().prefix { $0 != ":" }
      return group.count == 4 && group.hasPrefix("fd")
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    guard isPlain, !labels.contains("") else { return false }
    let numbers = labels.compactMap { label in UInt8(label).flatMap { String($0) == label ? $0 : nil } }
    if numbers.count == 4, labels.count == 4 {
      return numbers[0] == 10 || numbers[0] == 172 && 16...31 ~= numbers[1] || numbers[0] == 192 && numbers[1] == 168
    }
    let isName = labels[labels.count - 1].first?.isLetter ?? false
    return isName && (labels.count == 1 || [".local", ".lan", ".internal", ".home.arpa"].contains(where: host.hasSuffix))
  }
}
