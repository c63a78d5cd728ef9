/// One line of an xcconfig file, without regard to the others. Errors about it never repeat its contents.
struct XCConfigLine {
  struct Assignment {
    let name: String
    /// The conditions as written, such as `[sdk=macosx*]`; empty if the assignment always applies.
    let conditions: String
    /// The value as written, with its references. It may be a key, so it is never printed.
    let value: Secret
    /// Its range in the file, without its comment. If `//` cut off an address, the rest of the address is included.
    let range: Range<Int>
  }

  let location: XCConfig.FileLine
  /// Its range in the file, with its line break.
  let range: Range<Int>
  private(set) var assignment: Assignment?
  private(set) var include: (name: String, isOptional: Bool)?

  /// Returns the lines of the file at `path`, whose bytes are UTF-8. A byte-order mark is not part of the text.
  static func all(in bytes: [UInt8], of path: String) throws(SourceError) -> [XCConfigLine] {
    var lines: [XCConfigLine] = []
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      var end = bytes[start...].firstIndex(where: isLineBreak) ?? bytes.count
      end += bytes[end...].starts(with: [0x0D, 0x0A]) ? 2 : end < bytes.count ? 1 : 0
      lines.append(try XCConfigLine(bytes[start..<end], at: XCConfig.FileLine(path: path, line: lines.count + 1)))
      start = end
    }
    return lines
  }

  static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private init(_ bytes: ArraySlice<UInt8>, at location: XCConfig.FileLine) throws(SourceError) {
    (self.location, range) = (location, bytes.indices)
    let comment = bytes.indices.first { bytes[$0...].starts(with: "//".utf8) }
    let code = bytes[..<(comment ?? bytes.endIndex)].trimmed
    guard let first = code.first else { return }
    if first == UInt8(ascii: "#") {
      include = try Self.include(in: code, at: location)
      return
    }
    guard XCConfig.mayBegin(first) else {
      throw location.fault(
        "a line must be KEY = value, with a KEY that starts with a letter or _", remedy: "start a comment with //")
    }
    let name = code.prefix(while: XCConfig.mayContinue)
    var rest = code.dropFirst(name.count).trimmed
    var conditions = rest[..<rest.startIndex]
    while rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { throw location.fault("a condition has no closing ]") }
      conditions = bytes[conditions.startIndex...end]
      rest = rest[(end + 1)...].trimmed
    }
    guard rest.first == UInt8(ascii: "=") else {
      throw location.fault("this line has no = after its key", remedy: "write KEY = value")
    }
    var value = rest.dropFirst().trimmed
    if value.last == UInt8(ascii: ";") { value = value.dropLast().trimmed }
    guard value.last != UInt8(ascii: "\\") else {
      throw location.fault("a value cannot end with \\", remedy: "write \\$() instead")
    }
    let isCut = comment == code.endIndex && !value.isEmpty
    assignment = Assignment(
      name: name.text, conditions: conditions.text, value: Secret(value.text),
      range: code.startIndex..<(isCut ? bytes.trimmed : code).endIndex)
  }

  /// Returns the file that a line such as `#include? "Secrets.xcconfig"` names.
  private static func include(
    in code: ArraySlice<UInt8>, at location: XCConfig.FileLine
  ) throws(SourceError) -> (name: String, isOptional: Bool) {
    let parts = code.dropFirst().text.split(separator: "\"", omittingEmptySubsequences: false).map(\.trimmingSpaces)
    guard parts[0].hasPrefix("include") else {
      throw location.fault("a line that starts with # must be #include \"FILE\"", remedy: "start a comment with //")
    }
    guard parts.count == 3, ["include", "include?"].contains(parts[0]), !parts[1].isEmpty, parts[2].isEmpty else {
      throw location.fault("#include needs a file name in double quotes")
    }
    return (parts[1], isOptional: parts[0].hasSuffix("?"))
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmed: ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || 0x09...0x0D ~= byte }
    let end = lastIndex { !isBlank($0) }.map { $0 + 1 } ?? startIndex
    return self[..<end].drop(while: isBlank)
  }

  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
