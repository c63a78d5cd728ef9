import AggregatorCore
import Platform

/// Turns a document of XML into JSON.
///
/// An element is an object: its attributes are members called `@name`, and its elements are members, in a list where they come more than
/// once or where a path names
/// a list of them. An element without both is its text, or null. Text beside them is the member `#text`. Spaces around a text are left out,
/// unless they are CDATA or below `xml:space="preserve"`.
struct XMLDocument {
  /// An element that is being read.
  private struct Element {
    let name: String
    let shape: XMLShape
    var members: [(name: String, json: [UInt8], count: Int)] = []
    var indices: [String: Int] = [:]
    var attributes = 0
    private var text: [UInt8] = []
    /// The part of the text that keeps its spaces; nil if no part does.
    private var kept: Range<Int>?
    /// True where spaces are a part of the text.
    var keepsSpaces = false

    init(_ name: String, _ shape: XMLShape) { (self.name, self.shape) = (name, shape) }

    mutating func add(_ text: UnsafePointer<CChar>, _ kind: XMLReader.Text) {
      let isKept = kind == .data || keepsSpaces
      if kind == .space, !isKept { return }
      let start = self.text.count
      self.text += UnsafeRawBufferPointer(start: text, count: strlen(text))
      if isKept { kept = (kept?.lowerBound ?? start)..<self.text.count }
    }

    /// The text without the spaces around it that only lay out the document.
    private var plain: ArraySlice<UInt8> {
      let isWord: (UInt8) -> Bool = { $0 > Byte.space }
      let (first, last) = (text.firstIndex(where: isWord), text.lastIndex(where: isWord))
      // Between elements, spaces are no text.
      if first == nil, members.count > attributes { return [] }
      let bounds = [first, last.map { $0 + 1 }, kept?.lowerBound, kept?.upperBound].compactMap(\.self)
      return text[(bounds.min() ?? 0)..<(bounds.max() ?? 0)]
    }

    mutating func add(_ json: [UInt8], as name: String) {
      if let index = indices[name] {
        members[index].json.append(Byte.comma)
        members[index].json += json
        members[index].count += 1
      } else {
        indices[name] = members.count
        members.append((name, json, 1))
      }
    }

    /// The element as JSON.
    var json: [UInt8] {
      let plain = plain
      var writer = JSONWriter()
      let isLeaf = members.isEmpty && !shape.isObject || shape.isText && !shape.isObject && members.count == attributes
      if isLeaf {
        if plain.isEmpty { writer.write(.null) } else { writer.write(string: String(decoding: plain, as: UTF8.self)) }
        return writer.take()
      }
      writer.beginObject()
      for member in members {
        writer.key(member.name)
        if member.count > 1 || shape.members[member.name]?.isList ?? false {
          writer.write(raw: [Byte.openBracket] + member.json + [Byte.closeBracket])
        } else {
          writer.write(raw: member.json)
        }
      }
      for (name, inner) in shape.members.sorted(by: { $0.key < $1.key }) where inner.isList && indices[name] == nil {
        writer.key(name)
        writer.write(.list([]))
      }
      if !plain.isEmpty {
        writer.key(XMLReader.text)
        writer.write(string: String(decoding: plain, as: UTF8.self))
      }
      writer.endObject()
      return writer.take()
    }
  }

  /// Reads a document in the shape that its paths need.
  static func json(of bytes: Bytes, _ shape: XMLShape) throws -> JSON {
    var reader = try XMLReader(bytes)
    var open = [Element("", shape)]
    var size = 0
    func close() {
      guard let element = open.popLast() else { return }
      let json = element.json
      open[open.count - 1].add(json, as: element.name)
    }
    while let node = try reader.next() {
      switch node {
      case .open(let name, let isEmpty, let attributes):
        if open.count == 1, name.lowercased() == "html", shape.members[name] == nil {
          throw XMLReader.isHTML
        }
        var element = Element(name, open[open.count - 1].shape.members[name] ?? XMLShape())
        let space = attributes.first { $0.name == "xml:space" }?.value
        element.keepsSpaces = space.map { $0 == "preserve" } ?? open[open.count - 1].keepsSpaces
        for (name, value) in attributes { element.add(Value.text(value).bytes, as: "@\(name)") }
        element.attributes = element.members.count
        size += name.utf8.count + attributes.reduce(8) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
        open.append(element)
        if isEmpty { close() }
      case .text(let text, let kind): open[open.count - 1].add(text, kind)
      case .close: close()
      }
      guard size <= BodyFormat.most else { throw BodyFormat(.xml).isTooLarge }
    }
    guard open.count == 1, !open[0].members.isEmpty else { throw SourceError(.truncated, "the XML is cut short") }
    return try BodyFormat(.xml).json(open[0].json)
  }
}
