import AggregatorCore

/// Puts text on lines, with the gap, mark and indent that the next word needs.
struct HTMLLayout {
  enum Gap: Int { case none, line, paragraph }

  private(set) var output: [UInt8] = []
  private var gap = Gap.none
  var hasSpace = false
  /// The open lists: the next number of each, or nil for a list without numbers.
  private var lists: [Int?] = []
  private var marker: String?
  /// The open link, and the offset at which its text began; nil before it begins.
  private var link: (address: WebAddress, start: Int?)?

  /// Adds text that is printable except for its entities.
  mutating func add(text: ArraySlice<UInt8>) {
    var shown = String(decoding: text, as: UTF8.self)
    if text.contains(UInt8(ascii: "&")) {
      shown = Printable.clean(String(decoding: HTMLEntity.decoded(text), as: UTF8.self), lines: .kept)
    }
    let bytes = shown.replacingEach("\u{A0}", with: " ").utf8
    if let first = bytes.first, first <= 0x20 { hasSpace = true }
    for word in bytes.split(whereSeparator: { $0 <= 0x20 }) {
      begin()
      output += word
      hasSpace = true
    }
    if let last = bytes.last { hasSpace = last <= 0x20 }
  }

  /// Writes everything that belongs before the next visible character.
  private mutating func begin() {
    if output.isEmpty || gap != .none {
      if !output.isEmpty { output += gap == .paragraph ? "\n\n".utf8 : "\n".utf8 }
      // Hostile nesting must not multiply the text.
      let depth = min(lists.count, 6) - (marker == nil ? 0 : 1)
      output += repeatElement(0x20, count: max(0, 2 * depth))
      if let marker { output += marker.utf8 }
      marker = nil
    } else if hasSpace {
      output.append(0x20)
    }
    (gap, hasSpace) = (.none, false)
    if let link, link.start == nil { self.link?.start = output.count }
  }

  /// Makes the gap before the next word at least as large as this one. Inside a list, paragraphs are close together.
  mutating func part(_ gap: Gap) {
    let gap = gap == .paragraph && !lists.isEmpty ? .line : gap
    if gap.rawValue > self.gap.rawValue { self.gap = gap }
  }

  mutating func breakLine() {
    guard marker == nil else { return }
    gap = gap == .none ? .line : .paragraph
  }

  mutating func openList(isNumbered: Bool) {
    part(.paragraph)
    lists.append(isNumbered ? 1 : nil)
  }

  mutating func closeList() {
    _ = lists.popLast()
    closeItem(.paragraph)
  }

  mutating func openItem() {
    part(.line)
    marker = "- "
    if let number = lists.last ?? nil {
      marker = "\(number). "
      lists[lists.count - 1] = number + 1
    }
  }

  mutating func closeItem(_ gap: Gap = .line) {
    marker = nil
    part(gap)
  }

  mutating func openLink(to address: WebAddress?) {
    closeLink()
    link = address.map { ($0, nil) }
  }

  mutating func closeLink() {
    defer { link = nil }
    guard let link, let start = link.start else { return }
    // The text may be the address as people write it: without its scheme or its last slash.
    let (text, address) = (String(decoding: output[start...], as: UTF8.self), link.address.shown)
    let spellings = [address[...], address.drop { $0 != "/" }.dropFirst(2)].flatMap {
      $0.last == "/" ? [$0, $0.dropLast()] : [$0]
    }
    if !spellings.contains(text[...]) { output += " (\(address))".utf8 }
  }
}
