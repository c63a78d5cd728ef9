/// Puts text on lines: knows what gap, mark and indent the next word needs.
struct HTMLLayout {
  enum Gap: Int {
    case none
    case line
    case paragraph
  }

  private var output: [UInt8] = []
  private var gap = Gap.none
  private var hasSpace = false
  /// The open lists; the next number of each, or nil if it has none.
  private var lists: [Int?] = []
  private var marker: String?
  /// The open link, and where its text began if it has.
  private var link: (address: WebAddress, start: Int?)?

  /// Adds text that is printable but for its entities.
  mutating func add(text: UnsafeBufferPointer<UInt8>) {
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte.isHTMLSpace {
        hasSpace = true
        index += 1
      } else if byte == UInt8(ascii: "&"), let entity = HTMLEntity(in: text, at: index) {
        add(entity.text)
        index = entity.end
      } else if text[index...].starts(with: Self.hardSpace) {
        hasSpace = true
        index += 2
      } else {
        let start = index
        index += 1
        while index < text.count, !text[index].isHTMLSpace, text[index] != UInt8(ascii: "&"), text[index] != 0xC2 {
          index += 1
        }
        begin()
        output.append(contentsOf: text[start..<index])
      }
    }
  }

  private static let hardSpace: [UInt8] = [0xC2, 0xA0]

  private mutating func add(_ entity: [UInt8]) {
    let decoded = Array(Printable.clean(String(decoding: entity, as: UTF8.self)).utf8)
    if decoded == Self.hardSpace || decoded == [0x20] {
      hasSpace = true
    } else if !decoded.isEmpty {
      begin()
      output += decoded
    }
  }

  /// Writes what must stand before the next visible character.
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
    gap = .none
    hasSpace = false
    if let link, link.start == nil { self.link?.start = output.count }
  }

  /// At least this gap stands before the next word; inside a list, paragraphs stand close.
  mutating func part(_ gap: Gap) {
    let gap = gap == .paragraph && !lists.isEmpty ? .line : gap
    if gap.rawValue > self.gap.rawValue { self.gap = gap }
  }

  mutating func breakLine() {
    guard marker == nil else { return }
    gap = gap == .none ? .line : .paragraph
  }

  mutating func space() { hasSpace = true }

  mutating func openList(from number: Int?) {
    part(.paragraph)
    lists.append(number)
  }

  mutating func closeList() {
    _ = lists.popLast()
    marker = nil
    part(.paragraph)
  }

  mutating func openItem() {
    part(.line)
    if let number = lists.last ?? nil {
      marker = "\(number). "
      lists[lists.count - 1] = number + 1
    } else {
      marker = "- "
    }
  }

  mutating func closeItem() {
    marker = nil
    part(.line)
  }

  mutating func openLink(to address: WebAddress?) {
    closeLink()
    link = address.map { ($0, nil) }
  }

  mutating func closeLink() {
    guard let (address, start) = link else { return }
    link = nil
    guard let start, !Self.names(output[start...], address.shown) else { return }
    output += " (\(address.shown))".utf8
  }

  /// Whether the text is the address as people write it: perhaps without its scheme and its last slash.
  private static func names(_ text: ArraySlice<UInt8>, _ address: String) -> Bool {
    let short = address.drop { $0 != "/" }.dropFirst(2)
    return [address[...], short].contains { spelling in
      text.elementsEqual(spelling.utf8) || spelling.last == "/" && text.elementsEqual(spelling.dropLast().utf8)
    }
  }

  mutating func finish() -> [UInt8] {
    closeLink()
    return output
  }
}
