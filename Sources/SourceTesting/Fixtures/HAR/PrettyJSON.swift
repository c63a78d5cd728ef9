import AggregatorCore

/// JSON for people and for diffs: indented, but what is short and holds no list or object stays on one line.
enum PrettyJSON {
  private static let mostOnOneLine = 120

  static func bytes(_ value: Value) -> [UInt8] {
    var bytes: [UInt8] = []
    write(value, indent: 0, to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private static func write(_ value: Value, indent: Int, to bytes: inout [UInt8]) {
    switch value {
    case .list(let values):
      write(values.map { (nil, $0) }, between: ("[", "]"), isFlat: values.allSatisfy(isScalar), indent: indent, to: &bytes)
    case .object(let members):
      let isFlat = members.allSatisfy { isScalar($0.value) }
      write(members.map { ($0.name, $0.value) }, between: ("{", "}"), isFlat: isFlat, indent: indent, to: &bytes)
    default: bytes += scalar(value)
    }
  }

  private static func write(
    _ parts: [(name: String?, value: Value)], between brackets: (String, String), isFlat: Bool, indent: Int, to bytes: inout [UInt8]
  ) {
    if isFlat {
      let line = parts.map { scalar(named: $0.name) + scalar($0.value) }
      if line.reduce(0, { $0 + $1.count + 2 }) <= mostOnOneLine {
        return bytes += Array(brackets.0.utf8) + line.joined(separator: ", ".utf8) + Array(brackets.1.utf8)
      }
    }
    bytes += brackets.0.utf8
    for (index, part) in parts.enumerated() {
      bytes += (index == 0 ? "" : ",").utf8
      newline(indent + 2, to: &bytes)
      bytes += scalar(named: part.name)
      write(part.value, indent: indent + 2, to: &bytes)
    }
    newline(indent, to: &bytes)
    bytes += brackets.1.utf8
  }

  private static func newline(_ indent: Int, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\n"))
    bytes += Array(repeating: UInt8(ascii: " "), count: indent)
  }

  private static func scalar(named name: String?) -> [UInt8] { name.map { scalar(.text($0)) + Array(": ".utf8) } ?? [] }

  private static func scalar(_ value: Value) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(value)
    return writer.bytes
  }

  private static func isScalar(_ value: Value) -> Bool {
    switch value {
    case .list(let values): values.isEmpty
    case .object(let members): members.isEmpty
    default: true
    }
  }
}
