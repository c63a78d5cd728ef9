import AggregatorCore
import CXML

/// Reads a document of XML, node by node, through libxml2.
///
/// Nothing outside the document is opened. An entity that the document declares is refused, because a few of them can stand for any
/// amount of text. Elements may be `mostDepth` deep.
struct XMLReader: ~Copyable {
  enum Node {
    case open(name: String, isEmpty: Bool, attributes: [(name: String, value: String)])
    case text(UnsafePointer<CChar>, Text)
    case close
  }

  /// The kinds of text: one of CDATA, one of spaces alone, and any other.
  enum Text { case plain, data, space }

  /// The member that has the text of an element beside its attributes and elements.
  static let text = "#text"
  private static let mostDepth = 256

  private let reader: OpaquePointer
  /// True when the bytes begin and end as XML does.
  private let isMarkup: Bool
  private let isWhole: Bool
  private var depth = 0
  private var count = 0

  /// Begins to read bytes, which have to stay where they are.
  init(_ bytes: Bytes) throws {
    if let problem = cxml_open() { throw Self.missing(String(cString: problem)) }
    guard let start = bytes.baseAddress, let length = CInt(exactly: bytes.count), bytes.contains(where: { $0 > Byte.space })
    else {
      throw SourceError(.truncated, "the XML is empty")
    }
    let begun = start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { cxml_begin($0, length) }
    guard let begun else { throw SourceError(.malformed, "the XML cannot be read: there is not enough memory") }
    reader = begun
    isMarkup = bytes.first { $0 > Byte.space && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "<")
    isWhole = bytes.last { $0 > Byte.space } == UInt8(ascii: ">")
  }

  deinit { cxml_end(reader) }

  /// The error for a web page that is well-formed XML.
  static let isHTML = SourceError(.malformed, "the answer is an HTML page, and XML is expected")

  static func missing(_ problem: String) -> SourceError {
    #if os(Linux)
      SourceError(
        .settings, "XML is read by libxml2, and \(problem)",
        remedy: problem.hasSuffix("not installed") ? "type apt-get install libxml2" : nil)
    #else
      SourceError(.settings, "XML is read by libxml2, and \(problem)")
    #endif
  }

  /// Returns the next node; nil at the end of the document. Throws `truncated` if the document ends too early, otherwise `malformed`.
  mutating func next() throws -> Node? {
    while true {
      count += 1
      if count & 4095 == 0 { try Deadline.check() }
      switch cxml_next(reader) {
      case CXML_NODE: if let node = try node() { return node }
      case CXML_END: return nil
      default: throw failure
      }
    }
  }

  private mutating func node() throws -> Node? {
    switch UInt32(bitPattern: cxml_node_kind(reader)) {
    case CXML_ELEMENT.rawValue:
      let (name, isEmpty) = (Self.string(cxml_name(reader)), cxml_is_empty(reader))
      guard depth < Self.mostDepth else {
        throw SourceError(.malformed, "the XML is more than \(Self.mostDepth) elements deep")
      }
      if !isEmpty { depth += 1 }
      var attributes: [(name: String, value: String)] = []
      while cxml_next_attribute(reader) {
        let name = Self.string(cxml_name(reader))
        if name != "xmlns", !name.hasPrefix("xmlns:") { attributes.append((name, Self.string(cxml_text(reader)))) }
      }
      return .open(name: name, isEmpty: isEmpty, attributes: attributes)
    case CXML_TEXT.rawValue: return cxml_text(reader).map { .text($0, .plain) }
    case CXML_CDATA.rawValue: return cxml_text(reader).map { .text($0, .data) }
    case CXML_SPACE.rawValue: return cxml_text(reader).map { .text($0, .space) }
    case CXML_END_OF_ELEMENT.rawValue:
      depth -= 1
      return .close
    case CXML_ENTITY.rawValue:
      let name = Printable.clean(String(Self.string(cxml_name(reader)).prefix(40)))
      throw SourceError(.malformed, "the XML uses the entity &\(name);, and only those of XML itself are read")
    default: return nil
    }
  }

  private static func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

  /// The error that libxml2 told.
  private var failure: SourceError {
    let words = Printable.clean(String(cString: cxml_error(reader))).trimmingSpaces
    let line = cxml_error_line(reader)
    let place = line > 0 ? " on line \(line)" : ""
    // The library reads ahead, and finds content outside an element that it has not told to be open.
    let isOpen = words.hasPrefix("Premature end") || depth > 0 && words.hasPrefix("Extra content")
    let isCut = isMarkup && (!isWhole || isOpen)
    if isCut { return SourceError(.truncated, "the XML is cut short\(place)") }
    return SourceError(.malformed, "the XML is broken\(place)\(words.isEmpty ? "" : ": \(words)")")
  }
}
