import Platform

extension KeyFile {
  /// Writes `name = value` into the key file at `path`. Only its owner can read the file, from the first byte on.
  ///
  /// The last assignment of the name in the file is replaced, or a line is added at the end; everything else stays. Missing folders are
  /// made, for their owner alone. A link stays a link. The old file remains until the new one is complete.
  ///
  /// - Throws: a `SourceError` of kind `settings`. The file is then unchanged, and no message contains the value.
  public static func set(_ name: String, to value: Secret, inFileAt path: String) throws(SourceError) {
    _ = try edit(path, makingFolder: true) { bytes, files in
      try XCConfigEdit.setting(name, to: value, in: bytes ?? [], at: path, reader: files)
    }
  }

  /// Throws if a key file cannot hold the value, because it has a line break or a control character. The error calls the value `name`.
  package static func check(_ value: Secret, of name: String) throws(SourceError) {
    let unfit: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
    guard value.reveal().unicodeScalars.contains(where: { unfit.contains($0.properties.generalCategory) }) else { return }
    throw SourceError(
      .settings, "the value of \(name) contains a line break or a control character", remedy: "paste only the key, on one line")
  }

  /// Removes every assignment of `name`, and of a command that prints it, from the key file at `path`; returns false if it has none.
  public static func unset(_ name: String, inFileAt path: String) throws(SourceError) -> Bool {
    try unset([name, KeyCommand.name(for: name)], inFileAt: path)
  }

  /// Removes every assignment of these names from the key file at `path`; returns false if it has none.
  package static func unset(_ names: [String], inFileAt path: String) throws(SourceError) -> Bool {
    try edit(path, makingFolder: false) { bytes, _ in
      try bytes.flatMap { try XCConfigEdit.removing(names, from: $0, at: path) }
    }
  }

  /// Replaces the file with the result of `change`; returns false if the result is nil.
  private static func edit(
    _ path: String, makingFolder: Bool, _ change: ([UInt8]?, SystemFiles) throws -> [UInt8]?
  ) throws(SourceError) -> Bool {
    let files = SystemFiles()
    do {
      let target = try files.following(path)
      let folder = Paths.folder(of: target)
      if makingFolder { try files.makeFolder(folder) }
      return try files.alone(in: folder) {
        let old = try current(target, files)
        guard let new = try change(old?.bytes, files) else { return false }
        try files.replace(target, with: new, owner: old?.owner)
        return true
      }
    } catch let error as SourceError {
      throw error
    } catch {
      let reason = (error as? FileProblem)?.reason ?? "\(error)"
      throw SourceError(.storage, "cannot write the key file \(path): \(reason)", remedy: Self.nameAnother)
    }
  }

  /// Returns the names that have a value in the key file at `path`, each once with its last line, sorted by these lines. Empty if the file
  /// cannot be read. Included files are not searched.
  public static func names(inFileAt path: String) -> [(name: String, line: Int)] {
    let files = SystemFiles()
    guard let bytes = try? current(files.following(path), files)?.bytes, let lines = try? XCConfigLine.all(in: bytes, of: path)
    else { return [] }
    let assigned = lines.compactMap { line in line.assignment.map { ($0.name, line.location.line) } }
    return Dictionary(assigned) { $1 }.sorted { $0.value < $1.value }.map { (name: $0.key, line: $0.value) }
  }

  /// True when the key file at `path` has a value for this name, or a command that prints it; false if the file cannot be read.
  public static func holds(_ name: String, inFileAt path: String) -> Bool {
    names(inFileAt: path).contains { $0.name == name || $0.name == KeyCommand.name(for: name) }
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

/// Edits one value in the text of a key file.
enum XCConfigEdit {
  /// Returns the text without the lines that assign these names, with or without conditions; nil if no line does.
  static func removing(_ names: [String], from bytes: [UInt8], at path: String) throws(SourceError) -> [UInt8]? {
    let lines = try XCConfigLine.all(in: bytes, of: path).filter { $0.assignment.map { names.contains($0.name) } ?? false }
    var rest = bytes
    for line in lines.reversed() { rest.removeSubrange(line.range) }
    return lines.isEmpty ? nil : rest
  }

  /// Returns the text with a new value, checked by reading it again. A later line or an included file could
  /// override a replaced line, so a line is added then.
  static func setting(
    _ name: String, to value: Secret, in old: [UInt8], at path: String, reader: some FileReading
  ) throws(SourceError) -> [UInt8] {
    try KeyFile.check(value, of: name)
    let text = value.reveal()
    func holds(_ bytes: [UInt8]) throws(SourceError) -> Bool {
      try XCConfig(FileContents(bytes), at: path, reader: reader).value(of: name)?.text == value
    }
    let line = Array("\(name) = ".utf8) + spell(Array(text.utf8))
    var bytes = old
    let assignments = try XCConfigLine.all(in: old, of: path).compactMap(\.assignment)
    if let last = assignments.last(where: { $0.name == name && $0.conditions.isEmpty }) {
      bytes.replaceSubrange(last.range, with: line)
      if try holds(bytes) { return bytes }
    }
    let newline: [UInt8] = bytes.contains(0x0D) ? [0x0D, 0x0A] : [0x0A]
    if let end = bytes.last, !XCConfigLine.isLineBreak(end) { bytes += newline }
    bytes += line + newline
    guard try holds(bytes) else { throw SourceError(.settings, "\(path): another line overrides the new value of \(name)") }
    return bytes
  }

  /// Returns the value as it must be written to be read back: `/$()/` for `//`, `$$` for `$`, and `$()` to protect its ends.
  private static func spell(_ value: [UInt8]) -> [UInt8] {
    let nothing = Array("$()".utf8)
    var text: [UInt8] = value.first == 0x20 ? nothing : []
    for byte in value {
      if byte == UInt8(ascii: "/"), text.last == byte { text += nothing }
      text.append(byte)
      if byte == UInt8(ascii: "$") { text.append(byte) }
    }
    return value.last.map(" ;\\".utf8.contains) == true ? text + nothing : text
  }
}
