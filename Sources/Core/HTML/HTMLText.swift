/// Readable text from untrusted HTML.
public enum HTMLText {
  /// The text of an HTML fragment, with a blank line between paragraphs and items marked `- ` or `1. `.
  ///
  ///     HTMLText.plain("<p>See <a href='/batman/'>Batman</a>.</p>", base: WebAddress("https://comicvine.gamespot.com/"))
  ///     // "See Batman (https://comicvine.gamespot.com/batman/)."
  ///
  /// A link shows its address, made absolute against `base`, unless its text is that address; only http and https are shown.
  /// Pictures, figures, scripts, styles and comments are gone, white space is collapsed. The result is ``Printable`` and has its
  /// lines kept. Broken markup loses the markup rather than the text; only a script or style without an end takes the
  /// rest with it. The time is linear in the length.
  public static func plain(_ html: String, base: WebAddress?) -> String {
    var html = Printable.clean(html, lines: .kept)
    let text = html.withUTF8 { bytes in
      var reader = Reader(bytes: bytes, base: base)
      reader.run()
      return String(decoding: reader.layout.finish(), as: UTF8.self)
    }
    // Once more, for what entities brought into a link's host.
    return Printable.clean(text, lines: .kept)
  }
}

private struct Reader {
  let bytes: UnsafeBufferPointer<UInt8>
  let base: WebAddress?
  private var tokens: HTMLTokens
  var layout = HTMLLayout()

  init(bytes: UnsafeBufferPointer<UInt8>, base: WebAddress?) {
    self.bytes = bytes
    self.base = base
    tokens = HTMLTokens(bytes: bytes)
  }

  mutating func run() {
    while let token = tokens.next() {
      switch token {
      case .text(let range): layout.add(text: UnsafeBufferPointer(rebasing: bytes[range]))
      case .open(let name, let attributes): open(name, attributes)
      case .close(let name): close(name)
      }
    }
  }

  private mutating func open(_ name: String, _ attributes: Range<Int>) {
    switch name {
    case "script", "style": tokens.skipRaw(until: name)
    case "figure", "noscript", "template", "svg", "iframe", "head", "title", "audio", "video", "canvas", "object", "select", "textarea":
      // A drawing may end where it begins.
      if name != "svg" || bytes[attributes].last != UInt8(ascii: "/") { tokens.skip(untilEndOf: name) }
    case "br": layout.breakLine()
    case "td", "th": layout.space()
    case "ul", "menu": layout.openList(from: nil)
    case "ol": layout.openList(from: start(attributes) ?? 1)
    case "li": layout.openItem()
    case "a": layout.openLink(to: address(attributes))
    default: layout.part(Self.gap(around: name))
    }
  }

  private mutating func close(_ name: String) {
    switch name {
    case "ul", "menu", "ol": layout.closeList()
    case "li": layout.closeItem()
    case "a": layout.closeLink()
    case "br": layout.breakLine()
    default: layout.part(Self.gap(around: name))
    }
  }

  private static func gap(around name: String) -> HTMLLayout.Gap {
    switch name {
    case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "dl", "hr", "article", "section", "caption", "header",
      "footer", "main", "aside", "nav", "form", "fieldset", "details":
      .paragraph
    case "div", "tr", "dt", "dd", "address", "center", "summary", "legend", "body", "html": .line
    default: .none
    }
  }

  private func start(_ attributes: Range<Int>) -> Int? {
    HTMLAttributes(UnsafeBufferPointer(rebasing: bytes[attributes])).value(of: "start").flatMap { Int($0.prefix(9)) }
  }

  private func address(_ attributes: Range<Int>) -> WebAddress? {
    guard let value = HTMLAttributes(UnsafeBufferPointer(rebasing: bytes[attributes])).value(of: "href") else { return nil }
    var reference = Array(value.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }.drop { $0 == 0x20 })
    while reference.last == 0x20 { reference.removeLast() }
    guard let first = reference.first, first != UInt8(ascii: "#") else { return nil }
    let text = String(decoding: reference, as: UTF8.self).replacingEach(" ", with: "%20")
    return base.map { $0.resolving(text) } ?? WebAddress(text)
  }
}
