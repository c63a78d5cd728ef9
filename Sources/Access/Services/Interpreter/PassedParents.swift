import AggregatorCore

/// The parents on one page whose lists are done.
///
/// A page may come again in another order, so each of them is named by the digest of its ID. Of very many only the sum of the digests is kept:
/// they are known again where the page begins with the same parents.
struct PassedParents {
  /// The digests as text, each with the same number of digits, as long as all of them are named. A client sends the text in an address.
  private var names = ""
  private var count = 0
  private var sum: UInt64 = 0

  private static let mostNamed = 500
  private static let digits = 12

  /// Reads the parents from their text; from a text of another kind, none.
  init(text: String? = nil) {
    guard let text else { return }
    let parts = text.split(separator: "=")
    if parts.count == 2, let count = Int(parts[0]), count > Self.mostNamed, let sum = UInt64(parts[1], radix: 16) {
      (self.count, self.sum) = (count, sum)
    } else {
      for digest in Self.digests(in: text) { add(digest) }
    }
  }

  /// True when each parent is known, whatever the order of the page.
  var isNamed: Bool { count <= Self.mostNamed }

  var text: String? {
    guard count > 0 else { return nil }
    return isNamed ? names : "\(count)=\(String(sum, radix: 16))"
  }

  mutating func add(_ id: String) { add(Self.digest(of: id)) }

  /// Returns the parents of a page that are not done. If the page does not begin with the parents of the sum, that is all of them.
  mutating func rest(of page: ArraySlice<LooseRecord>) -> ArraySlice<LooseRecord> {
    if isNamed {
      let digests = Set(Self.digests(in: names))
      return page.filter { !digests.contains(Self.digest(of: $0.id)) }[...]
    }
    let found = page.prefix(count).reduce(UInt64(0)) { $0 &+ Self.digest(of: $1.id) }
    if page.count >= count, found == sum { return page.dropFirst(count) }
    self = PassedParents()
    return page
  }

  private mutating func add(_ digest: UInt64) {
    (count, sum) = (count.adding(1), sum &+ digest)
    if isNamed { names += digest.padded(to: Self.digits, radix: 16) }
  }

  private static func digest(of id: String) -> UInt64 { Fingerprint.of(id) & 0xFFFF_FFFF_FFFF }

  private static func digests(in text: String) -> [UInt64] {
    var rest = text[...]
    var digests: [UInt64] = []
    while rest.utf8.count >= digits, let digest = UInt64(rest.prefix(digits), radix: 16) {
      digests.append(digest)
      rest = rest.dropFirst(digits)
    }
    return rest.isEmpty ? digests : []
  }
}
