import AggregatorCore

/// Turns a document of XML into JSON.
///
/// An element is an object: its attributes are members called `@name`, and its elements are members, in a list where they come more than
/// once or where a path names
/// a list of them. An element without both is its text, or null. Text beside them is the member `#text`. Spaces around a text are left out.
struct XMLDocument {
  /// An element that is being read.
  private struct Element {
    let name: String
    let shape: XMLShape
    var members: [(name: String, json: [UInt8], count: Int)] = []
    var indices: [String: Int] = [:]
    var attributes = 0
    var text: [UInt8] = []

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
      let isSpace: (UInt8) -> Bool = { $0 <= Byte.space }
      let words = text.drop(while: isSpace).prefix(text.count)
      let plain = words.prefix((words.lastIndex { !isSpace($0) } ?? words.startIndex - 1) + 1 - words.startIndex)
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
    var open = [Element(name: "", shape: shape)]
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
        var element = Element(name: name, shape: open[open.count - 1].shape.members[name] ?? XMLShape())
        for (name, value) in attributes { element.add(Value.text(value).bytes, as: "@\(name)") }
        element.attributes = element.members.count
        size += name.utf8.count + attributes.reduce(8) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
        open.append(element)
        if isEmpty { close() }
      case .text(let text):
        var at = text
        while at.pointee != 0 {
          open[open.count - 1].text.append(UInt8(bitPattern: at.pointee))
          at += 1
        }
      case .close: close()
      }
      guard size <= BodyFormat.most else { throw BodyFormat(.xml).isTooLarge }
    }
    guard open.count == 1, !open[0].members.isEmpty else { throw SourceError(.truncated, "the XML is cut short") }
    return try BodyFormat(.xml).json(open[0].json)
  }
}
