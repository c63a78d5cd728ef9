package import AggregatorCore
import CYAML

/// Reads a document of YAML as JSON, through libyaml.
///
/// Plain scalars are null, true, false, numbers of JSON or texts. Tags mean nothing. An alias repeats what its anchor names, and counts as
/// often as it is repeated, so that a few of them cannot stand for any amount of text.
package struct YAMLDocument: ~Copyable {
  /// A value, the number of values in it, and how deep it is.
  private struct Node {
    var value: Value
    var count = 1
    var depth = 1
  }

  private static let mostValues = 1_000_000
  private static let mostDepth = 200

  private let reader: OpaquePointer
  private var anchors: [String: Node] = [:]
  private var count = 0

  private init(_ bytes: Bytes) throws(SourceError) {
    if let problem = cyaml_open() { throw Self.missing(String(cString: problem)) }
    guard let start = bytes.baseAddress, let begun = cyaml_begin(start, bytes.count) else {
      throw SourceError(.malformed, "the YAML is empty")
    }
    reader = begun
  }

  deinit { cyaml_end(reader) }

  static func missing(_ problem: String) -> SourceError {
    let isMissing = problem.hasSuffix("not installed")
    #if os(Linux)
      let remedy: Remedy? = isMissing ? "type apt-get install libyaml-0-2, or convert the document to JSON" : nil
    #else
      let remedy: Remedy? = isMissing ? "type brew install libyaml, or convert the document to JSON" : nil
    #endif
    return SourceError(.settings, "YAML is read by libyaml, and \(problem)", remedy: remedy)
  }

  /// Returns the first document in a text. Throws `malformed` if it cannot be read.
  package static func value(of text: [UInt8]) throws(SourceError) -> Value {
    do {
      return try text.withUnsafeBufferPointer { bytes in
        var document = try YAMLDocument(bytes)
        while true {
          let event = try document.next()
          if event == CYAML_STREAM_END || event == CYAML_DOCUMENT_END { throw SourceError(.malformed, "the YAML is empty") }
          if event != CYAML_NOTHING { return try document.node(event, depth: 0).value }
        }
      }
    } catch {
      throw error as? SourceError ?? SourceError(.malformed, "\(error)")
    }
  }

  private func next() throws -> cyaml_event {
    let event = cyaml_next(reader)
    if event == CYAML_FAILED {
      let words = Printable.clean(String(cString: cyaml_error(reader)))
      throw SourceError(.malformed, "the YAML is broken on line \(cyaml_error_line(reader)): \(words)")
    }
    return event
  }

  private mutating func node(_ event: cyaml_event, depth: Int) throws -> Node {
    guard depth < Self.mostDepth else { throw SourceError(.malformed, "the YAML is more than \(Self.mostDepth) values deep") }
    let anchor = cyaml_anchor(reader).map { String(cString: $0) }
    var node: Node
    switch event {
    case CYAML_ALIAS:
      guard let known = anchors[anchor ?? ""] else {
        throw SourceError(
          .malformed, "the YAML repeats *\(Printable.clean(String((anchor ?? "").prefix(40)))), which it does not have")
      }
      try add(known.count)
      guard depth + known.depth < Self.mostDepth else {
        throw SourceError(.malformed, "the YAML is more than \(Self.mostDepth) values deep")
      }
      return known
    case CYAML_LIST: node = try list(depth)
    case CYAML_OBJECT: node = try object(depth)
    default: node = Node(value: scalar)
    }
    try add(1)
    if let anchor { anchors[anchor] = node }
    return node
  }

  private mutating func add(_ more: Int) throws {
    count += more
    if count & 1023 == 0 { try Deadline.check() }
    guard count <= Self.mostValues else { throw SourceError(.malformed, "the YAML has more than \(Self.mostValues) values") }
  }

  private mutating func list(_ depth: Int) throws -> Node {
    var (values, all) = ([Value](), Node(value: .null))
    while true {
      let event = try next()
      if event == CYAML_LIST_END { break }
      let node = try node(event, depth: depth + 1)
      values.append(node.value)
      (all.count, all.depth) = (all.count + node.count, max(all.depth, node.depth + 1))
    }
    all.value = .list(values)
    return all
  }

  private mutating func object(_ depth: Int) throws -> Node {
    var (members, merged, all) = ([Member](), [Member](), Node(value: .null))
    while true {
      let event = try next()
      if event == CYAML_OBJECT_END { break }
      // The name as it is written: 200 is "200".
      let name = event == CYAML_SCALAR ? text.text : nil
      let key = try node(event, depth: depth + 1)
      let value = try node(try next(), depth: depth + 1)
      guard let name = name ?? key.value.word else {
        throw SourceError(.malformed, "a name in the YAML is a list or an object")
      }
      // `<<: *usual` has the members of another object here.
      if name == "<<", let others = value.value.members {
        merged += others
      } else {
        members.append(Member(name: name, value: value.value))
      }
      (all.count, all.depth) = (all.count + key.count + value.count, max(all.depth, value.depth + 1))
    }
    let own = Set(members.map(\.name))
    all.value = .object(merged.filter { !own.contains($0.name) } + members)
    return all
  }

  private var text: (text: String, isPlain: Bool) {
    var (length, isPlain) = (0, false)
    guard let start = cyaml_text(reader, &length, &isPlain) else { return ("", false) }
    return (String(decoding: UnsafeBufferPointer(start: start, count: length), as: UTF8.self), isPlain)
  }

  private var scalar: Value {
    let (text, isPlain) = text
    guard isPlain else { return .text(text) }
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    default:
      guard let json = try? JSON(Array(text.utf8)), json.kind == .number else { return .text(text) }
      return json.value
    }
  }
}

extension [UInt8] {
  /// True for a description of a service in YAML: a line of it begins with `openapi:` or `swagger:`.
  package var isDescription: Bool {
    let text = String(decoding: prefix(1 << 16), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).contains { line in
      let line = line.drop { $0 == "\u{FEFF}" || $0 == "\"" || $0 == "'" }
      return ["openapi", "swagger"].contains {
        line.hasPrefix($0) && line.dropFirst($0.count).first { $0 != "\"" && $0 != "'" } == ":"
      }
    }
  }
}
