public import AggregatorCore
import Platform

extension KeyFile {
  /// Writes `name = value` into the key file at `path`, which only its owner can read from its first byte on.
  ///
  /// ```swift
  /// try KeyFile.set("COMIC_VINE_API_KEY", to: Secret(line), inFileAt: file.path)
  /// ```
  ///
  /// The last assignment of the name in that file is replaced, else one is added at the end; every other line, comment and the order
  /// stay. Missing folders are made, for their owner alone. A link stays a link: the file that it names is written. The old file is
  /// there until the new one is whole, and two programs that write at once both succeed. An empty value counts as none when read.
  ///
  /// - Throws: a `SourceError` of kind `settings`; the file is then as it was, and the value in no message.
  public static func set(_ name: String, to value: Secret, inFileAt path: String) throws(SourceError) {
    let edit = try XCConfigEdit(name: name, value: value)
    try replace(path, makingFolder: true) { bytes, files in try edit.applied(to: bytes ?? [], at: path, reader: files) }
  }

  /// Takes every assignment of `name` out of the key file at `path`; false where there is none. Everything else stays, as in ``set(_:to:inFileAt:)``.
  public static func unset(_ name: String, inFileAt path: String) throws(SourceError) -> Bool {
    var wasSet = false
    try replace(path, makingFolder: false) { bytes, _ in
      guard let bytes, let rest = try XCConfigEdit.removing(name, from: bytes, at: path) else { return nil }
      wasSet = true
      return rest
    }
    return wasSet
  }

  /// Replaces the file by what `edit` makes of it; leaves it as it is where that is nil.
  private static func replace(
    _ path: String, makingFolder: Bool, by edit: ([UInt8]?, SystemFiles) throws -> [UInt8]?
  ) throws(SourceError) {
    let files = SystemFiles()
    do {
      let target = try files.following(path)
      let folder = Paths.folder(of: target)
      if makingFolder { try files.makeFolder(folder) }
      guard try makingFolder || current(target, files) != nil else { return }
      try files.alone(in: folder) {
        let old = try current(target, files)
        guard let new = try edit(old?.bytes, files) else { return }
        try files.replace(target, with: new, owner: old?.owner)
      }
    } catch let problem as FileProblem {
      throw SourceError(.settings, "cannot write the key file \(path): \(problem.reason)", remedy: "name another with --config FILE")
    } catch let error as SourceError {
      throw error
    } catch {
      throw SourceError(.settings, "cannot write the key file \(path)")
    }
  }

  private static func current(_ path: String, _ files: SystemFiles) throws(FileProblem) -> FileContents? {
    do throws(FileProblem) {
      let contents = try files.read(path, upTo: XCConfig.largestFile)
      guard contents.isRegular else { throw .failed("it is not a regular file") }
      return contents
    } catch .missing {
      return nil
    }
  }
}

/// A change of one value in the text of a key file.
struct XCConfigEdit {
  private let name: String
  private let value: Secret
  private let spelling: [UInt8]

  /// Refuses a name that is not valid, and a value that does not fit in a line.
  init(name: String, value: Secret) throws(SourceError) {
    guard XCConfig.isName(name) else {
      throw SourceError(
        .settings, "a setting's name has only letters, digits and _", remedy: .listSettings)
    }
    let isPlain = value.reveal().unicodeScalars.allSatisfy { scalar in
      scalar.properties.generalCategory != .control && scalar != "\u{2028}" && scalar != "\u{2029}"
    }
    guard isPlain else {
      throw SourceError(
        .settings, "the value of \(name) contains a line break or a control character", remedy: "paste only the key, on one line")
    }
    self.name = name
    self.value = value
    spelling = Self.spell(Array(value.reveal().utf8))
  }

  /// The text without the lines that assign `name`, under conditions or not; nil where none does.
  static func removing(_ name: String, from bytes: [UInt8], at path: String) throws(SourceError) -> [UInt8]? {
    var scanner = XCConfigScanner(bytes)
    var ranges: [Range<Int>] = []
    do throws(XCConfigScanner.Fault) {
      while let next = try scanner.next() {
        if case .assignment(let assignment) = next.statement, assignment.name == name { ranges.append(assignment.range) }
      }
    } catch {
      // What comes behind it cannot be told.
      throw SourceError(
        .settings, "\(path):\(error.line): \(error.message)", remedy: error.remedy.map { .advice($0) } ?? "correct that line first")
    }
    guard !ranges.isEmpty else { return nil }
    let isBreak = { (byte: UInt8) in byte == 0x0A || byte == 0x0D }
    var rest = bytes
    for range in ranges.reversed() {
      let start = rest[..<range.lowerBound].lastIndex(where: isBreak).map { $0 + 1 } ?? (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
      var end = rest[range.upperBound...].firstIndex(where: isBreak) ?? rest.endIndex
      // The line break goes too, both bytes of it.
      if end < rest.endIndex { end += rest[end...].starts(with: [0x0D, 0x0A]) ? 2 : 1 }
      rest.removeSubrange(start..<end)
    }
    return rest
  }

  /// The new text, proved by reading it: a line further down or an included file may still win over the line that was replaced.
  func applied(to old: [UInt8], at path: String, reader: some FileReading) throws(SourceError) -> [UInt8] {
    let replaced = try replacingLast(in: old, at: path)
    if let replaced, try holds(in: replaced, at: path, reader: reader) { return replaced }
    let base = replaced ?? old
    let newline: [UInt8] = base.contains(0x0D) ? [0x0D, 0x0A] : [0x0A]
    let line = Array("\(name) = ".utf8) + spelling + newline
    let isOpen = base.last.map { $0 != 0x0A && $0 != 0x0D } ?? false
    // The empty line ends a value that goes on with a \ at the end of its line.
    for gap in [isOpen ? newline : [], newline + newline] {
      let appended = base + gap + line
      if try holds(in: appended, at: path, reader: reader) { return appended }
    }
    throw SourceError(.settings, "\(path): another line overrides the new value of \(name)")
  }

  private func holds(in bytes: [UInt8], at path: String, reader: some FileReading) throws(SourceError) -> Bool {
    guard bytes.count <= XCConfig.largestFile else {
      throw SourceError(.settings, "the key file \(path) would be larger than \(XCConfig.largestFile / 1024) kB")
    }
    let config = try XCConfig(FileContents(bytes), at: path, reader: reader)
    return try config.value(of: name)?.text == value
  }

  private func replacingLast(in bytes: [UInt8], at path: String) throws(SourceError) -> [UInt8]? {
    var scanner = XCConfigScanner(bytes)
    var last: Range<Int>?
    while true {
      // What comes after a fault does not matter: reading the whole reports it.
      guard let next = try? scanner.next() else { break }
      if case .assignment(let assignment) = next.statement, assignment.name == name, assignment.conditions.isEmpty {
        last = assignment.range
      }
    }
    guard var range = last else { return nil }
    let isComment = { (index: Int) in bytes[index...].starts(with: "//".utf8) }
    if !range.isEmpty, isComment(range.upperBound) {
      // No comment, but the rest of an address that // cut off.
      let end = bytes[range.upperBound...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
      range = range.lowerBound..<end
    }
    let before: [UInt8] = range.isEmpty && !spelling.isEmpty ? [0x20] : []
    let after: [UInt8] = isComment(range.upperBound) ? [0x20] : []
    return bytes[..<range.lowerBound] + before + spelling + after + bytes[range.upperBound...]
  }

  /// The value as a line must spell it to be read back: `/$()/` for `//`, `$$` for `$`, and `$()` to guard its ends.
  private static func spell(_ value: [UInt8]) -> [UInt8] {
    let nothing = Array("$()".utf8)
    let isBlank = { (byte: UInt8?) in byte == 0x20 }
    var text: [UInt8] = isBlank(value.first) ? nothing : []
    for byte in value {
      if byte == UInt8(ascii: "/"), text.last == byte { text += nothing }
      text.append(byte)
      if byte == UInt8(ascii: "$") { text.append(byte) }
    }
    let isGuarded = isBlank(value.last) || value.last == UInt8(ascii: ";") || value.last == UInt8(ascii: "\\")
    return isGuarded ? text + nothing : text
  }
}
