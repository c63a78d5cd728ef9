public import AggregatorCore

/// Readable text from untrusted HTML.
public enum HTMLText {
  /// Returns the text of an HTML fragment, with a blank line between paragraphs and items marked `- ` or `1. `.
  ///
  ///     HTMLText.plain("<p>See <a href='/batman/'>Batman</a>.</p>", base: WebAddress("https://comicvine.gamespot.com/"))
  ///     // "See Batman (https://comicvine.gamespot.com/batman/)."
  ///
  /// A link shows its address, made absolute against `base`, unless its text is that address; only http and https are shown.
  /// Pictures, figures, scripts, styles and comments are left out, and white space is collapsed. The result is ``Printable`` and
  /// keeps its lines. Broken markup loses the markup rather than the text; only a script or style without an end takes the rest with
  /// it. The time is linear in the length.
  public static func plain(_ html: String, base: WebAddress?) -> String {
    var reader = HTMLReader(bytes: Array(Printable.clean(html, lines: .kept).utf8), base: base)
    // Cleaned once more, because of what entities may have brought into a link's host.
    return Printable.clean(String(decoding: reader.text(), as: UTF8.self), lines: .kept)
  }
}

/// Takes HTML apart into text and tags.
///
/// Each byte is looked at a bounded number of times, however broken the markup is: a text that was searched for and not
/// found is not searched for again.
private struct HTMLReader {
  private let bytes: [UInt8]
  /// The same bytes, in lower case.
  private let lower: [UInt8]
  private let base: WebAddress?
  private let lastTagEnd: Int
  private var position = 0
  private var areQuotesBroken = false
  private var absent: Set<String> = []
  private var layout = HTMLLayout()

  init(bytes: [UInt8], base: WebAddress?) {
    (self.bytes, self.base) = (bytes, base)
    lower = bytes.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
    lastTagEnd = bytes.lastIndex(of: UInt8(ascii: ">")) ?? -1
  }

  mutating func text() -> [UInt8] {
    while position < bytes.count {
      let start = position
      if bytes[start] == UInt8(ascii: "<"), passMarkup() { continue }
      position = bytes[(start + 1)...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
      layout.add(text: bytes[start..<position])
    }
    layout.closeLink()
    return layout.output
  }

  /// Passes over the markup that begins with the `<` here; returns false if it is text.
  private mutating func passMarkup() -> Bool {
    if bytes[position...].starts(with: "<!--".utf8) {
      position = find("-->", from: position + 2).map { $0 + 3 } ?? position + 4
      return true
    }
    let isEnd = bytes[position...].dropFirst().first == UInt8(ascii: "/")
    let rest = lower[(position + (isEnd ? 2 : 1))...]
    guard isEnd || rest.first.map({ $0 &- 0x61 < 26 || $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "?") }) ?? false else {
      return false
    }
    guard position <= lastTagEnd else {
      // This may be a tag that was cut off, or a text with a `<`.
      if rest.contains(where: { $0 <= 0x20 }), !rest.contains(UInt8(ascii: "=")) { layout.add(text: bytes[position...]) }
      position = bytes.count
      return true
    }
    let name = rest.prefix { !$0.endsTagName }
    let end = tagEnd(from: name.endIndex)
    position = end + 1
    // All names that matter here are shorter.
    tag(String(decoding: name.prefix(16), as: UTF8.self), isEnd: isEnd, name.endIndex..<end)
    return true
  }

  /// Returns the index of the `>` that ends a tag. One inside a quoted value does not end it.
  private mutating func tagEnd(from start: Int) -> Int {
    var (quote, last): (UInt8?, UInt8) = (nil, 0)
    for index in areQuotesBroken ? start..<start : start..<bytes.count {
      let byte = bytes[index]
      if quote == nil, byte == UInt8(ascii: ">") { return index }
      if byte == quote {
        quote = nil
      } else if quote == nil, last == UInt8(ascii: "="), byte.isQuote {
        quote = byte
      }
      if byte > 0x20 { last = byte }
    }
    // A quote is never closed: this tag ends at the first `>`, and so do all tags that follow.
    areQuotesBroken = true
    return bytes[start...].firstIndex(of: UInt8(ascii: ">")) ?? bytes.count - 1
  }

  /// Returns the first index of `mark`. If the mark ends with a name, the name has to end there too.
  private mutating func find(_ mark: String, from start: Int) -> Int? {
    guard !absent.contains(mark) else { return nil }
    let found = lower.indices[start...].first { index in
      let rest = lower[index...]
      guard rest.first == mark.utf8.first, rest.starts(with: mark.utf8) else { return false }
      return mark.utf8.last == UInt8(ascii: ">") || rest.dropFirst(mark.utf8.count).first?.endsTagName ?? true
    }
    if found == nil { absent.insert(mark) }
    return found
  }

  private mutating func tag(_ name: String, isEnd: Bool, _ attributes: Range<Int>) {
    switch (name, isEnd) {
    case ("script", false), ("style", false): position = find("</\(name)", from: position) ?? bytes.count
    // A drawing may be closed in the tag that opens it.
    case ("svg", false) where lower[attributes].last == UInt8(ascii: "/"): break
    case (_, false) where Self.unseen.contains(name): position = find("</\(name)", from: position) ?? position
    case ("br", _): layout.breakLine()
    case ("td", false), ("th", false): layout.hasSpace = true
    case ("ul", false), ("ol", false): layout.openList(isNumbered: name == "ol")
    case ("ul", true), ("ol", true): layout.closeList()
    case ("li", false): layout.openItem()
    case ("li", true): layout.closeItem()
    case ("a", false): layout.openLink(to: address(attributes))
    case ("a", true): layout.closeLink()
    default: layout.part(Self.paragraphs.contains(name) ? .paragraph : Self.lines.contains(name) ? .line : .none)
    }
  }

  private static let unseen: Set = [
    "figure", "noscript", "template", "svg", "iframe", "head", "title", "audio", "video", "canvas", "object", "select",
    "textarea",
  ]
  private static let paragraphs: Set = [
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "dl", "hr", "article", "section", "caption",
    "header", "footer", "main", "aside", "nav", "form", "fieldset", "details",
  ]
  private static let lines: Set = ["div", "tr", "dt", "dd", "address", "center", "summary", "legend", "body", "html"]

  private func address(_ attributes: Range<Int>) -> WebAddress? {
    guard let value = link(in: attributes) else { return nil }
    let text = String(decoding: HTMLEntity.decoded(value).filter { !(0x09...0x0D ~= $0) }, as: UTF8.self).trimmingSpaces
    guard !text.isEmpty, text.first != "#" else { return nil }
    let reference = text.replacingEach(" ", with: "%20")
    return base.map { $0.resolving(reference) } ?? WebAddress(reference)
  }

  /// Returns the value of the first `href` among the attributes of a tag; nil if the tag has no `href`, or one without a value.
  private func link(in attributes: Range<Int>) -> ArraySlice<UInt8>? {
    var rest = bytes[attributes]
    while !rest.isEmpty {
      rest = rest.drop { $0 <= 0x20 || $0 == UInt8(ascii: "/") }
      let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/") }
      rest = rest[name.endIndex...].drop { $0 <= 0x20 }
      var value: ArraySlice<UInt8>?
      if rest.first == UInt8(ascii: "=") {
        rest = rest.dropFirst().drop { $0 <= 0x20 }
        let quote = rest.first.flatMap { $0.isQuote ? $0 : nil }
        if quote != nil { rest = rest.dropFirst() }
        let found = rest.prefix { quote == nil ? $0 > 0x20 : $0 != quote }
        rest = rest[found.endIndex...].dropFirst()
        value = found
      }
      if lower[name.indices].elementsEqual("href".utf8) { return value }
    }
    return nil
  }
}

extension UInt8 {
  fileprivate var isQuote: Bool { self == 0x22 || self == 0x27 }
  fileprivate var endsTagName: Bool { self <= 0x20 || self == UInt8(ascii: "/") || self == UInt8(ascii: ">") }
}
