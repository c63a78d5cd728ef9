package import Platform

/// A key file with the files it includes, read as Xcode would read them.
///
/// It keeps every assignment in the order of reading, because `$(inherited)` refers to earlier ones.
package struct XCConfig: Sendable {
  struct FileLine: Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    var description: String { "\(path):\(line)" }

    func fault(_ message: String, remedy: Remedy? = nil) -> SourceError {
      SourceError(.settings, "\(self): \(message)", remedy: remedy)
    }
  }

  private(set) var assignments: [String: [(value: Secret, location: FileLine)]] = [:]
  /// The files that users other than the owner may read or write, in the order of reading.
  private(set) var openFiles: [String] = []
  /// The files that users other than the owner may write.
  private(set) var writableFiles: Set<String> = []
  /// Warnings about files that could be read.
  private(set) var warnings: [String] = []

  static let largestFile = 1 << 20
  private var includes = 0

  /// Reads a file from its contents, and the files it includes.
  package init(_ contents: FileContents, at path: String, reader: some FileReading) throws(SourceError) {
    try add(contents, chain: [path], reader: reader)
  }

  /// Adds the last file of `chain`; each file in it includes the next one.
  private mutating func add(_ contents: FileContents, chain: [String], reader: some FileReading) throws(SourceError) {
    let path = chain[chain.count - 1]
    if contents.isRegular, contents.permissions & 0o077 != 0, !openFiles.contains(path) { openFiles.append(path) }
    if contents.isRegular, contents.permissions & 0o022 != 0 { writableFiles.insert(path) }
    guard String(validating: contents.bytes, as: UTF8.self) != nil else {
      throw SourceError(.settings, "\(path) is not valid UTF-8", remedy: "save it as UTF-8")
    }
    for line in try XCConfigLine.all(in: contents.bytes, of: path) {
      let location = line.location
      if let assignment = line.assignment { add(assignment, at: location) }
      guard let (name, isOptional) = line.include else { continue }
      includes += 1
      guard includes <= 128 else { throw location.fault("more than 128 files are included") }
      guard let (file, contents) = try Self.find(name, isOptional: isOptional, at: location, reader: reader) else { continue }
      if let first = chain.firstIndex(of: file) {
        let circle = (chain[first...] + [file]).joined(separator: " → ")
        throw location.fault("the file includes itself: \(circle)", remedy: "remove this #include")
      }
      try add(contents, chain: chain + [file], reader: reader)
    }
  }

  private mutating func add(_ assignment: XCConfigLine.Assignment, at location: FileLine) {
    let name = assignment.name
    guard assignment.conditions.isEmpty else {
      warnings.append(
        "\(location): \(name)\(assignment.conditions) does not apply here; write \(name) = … without the condition")
      return
    }
    let value = assignment.value.reveal().lowercased()
    if let scheme = ["https", "http", "postgresql", "postgres"].first(where: { value.hasSuffix("\($0):") }) {
      warnings.append(
        "\(location): // starts a comment, so the value of \(name) ends in \(scheme):; write \(scheme):/$()/… instead")
    }
    assignments[name, default: []].append((assignment.value, location))
  }

  /// Returns the path and contents of an included file, relative to the file that includes it; nil if it is optional and missing.
  private static func find(
    _ name: String, isOptional: Bool, at location: FileLine, reader: some FileReading
  ) throws(SourceError) -> (path: String, contents: FileContents)? {
    let path = Paths.join(Paths.folder(of: location.path), name)
    do throws(FileProblem) {
      return (path, try reader.read(path, upTo: Self.largestFile))
    } catch .missing where isOptional {
      return nil
    } catch .missing {
      throw location.fault(
        "the included file \(path) does not exist", remedy: "create it, or write #include? if it may be missing")
    } catch {
      throw location.fault("cannot read the included file \(path): \(error.reason)", remedy: "fix it, or remove the #include")
    }
  }

  /// Returns a warning for each name in the files that is not a setting, but nearly one of `names` that has no value.
  ///
  /// Other names are ignored, because key files are shared with Xcode, which has hundreds.
  func misspelled(_ names: [String]) -> [String] {
    let missing = names.filter { assignments[$0] == nil }
    // The limit keeps a huge file quick.
    return assignments.keys.sorted().prefix(1000).filter { !names.contains($0) }.flatMap { written in
      let near = missing.filter { Closest.distance(Array(written.lowercased().utf8), Array($0.lowercased().utf8)) <= 2 }
      return near.compactMap { name in
        assignments[written]?.last.map { "\($0.location): \(written) is not a setting; did you mean \(name)?" }
      }
    }
  }

  static func mayBegin(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_") }

  static func mayContinue(_ byte: UInt8) -> Bool { mayBegin(byte) || 0x30...0x39 ~= byte }

  /// Returns the value of `name` after the last line, with its references resolved, the location of the assignment that counts, and the
  /// files that contributed text. Nil if the name is not assigned.
  func value(of name: String) throws(SourceError) -> (text: Secret, location: FileLine, writers: Set<String>)? {
    guard let assignments = assignments[name], let last = assignments.last else { return nil }
    var expansion = Expansion(config: self)
    try expansion.follow(name, version: assignments.count - 1)
    return (Secret(String(decoding: expansion.text, as: UTF8.self)), last.location, expansion.writers)
  }
}

/// The resolution of one value's references, with limits.
private struct Expansion {
  let config: XCConfig
  var text: [UInt8] = []
  var writers: Set<String> = []
  /// The assignments in progress, outermost first.
  var active: [(name: String, version: Int)] = []
  var followed = 0

  /// Appends the value of assignment number `version` of `name`; appends nothing if it does not exist.
  mutating func follow(_ name: String, version: Int) throws(SourceError) {
    guard let assignments = config.assignments[name], assignments.indices.contains(version) else { return }
    let location = assignments[version].location
    active.append((name, version))
    followed += 1
    guard active.count <= 64, followed <= 5_000, text.count <= 1 << 16 else {
      throw location.fault("the references in the value of \(name) expand too far")
    }
    var rest = Array(assignments[version].value.reveal().utf8)[...]
    while let byte = rest.popFirst() {
      let next = byte == UInt8(ascii: "$") ? rest.first : nil
      if let next, "({[".utf8.contains(next) || XCConfig.mayBegin(next) {
        try refer(to: try reference(in: &rest, of: name, at: location), at: location)
        continue
      }
      // `$$` means one `$`.
      if next == byte { _ = rest.popFirst() }
      text.append(byte)
      writers.insert(location.path)
    }
    active.removeLast()
  }

  /// Removes the `(NAME)` or `{NAME}` at the start of `rest` and returns the name.
  private func reference(
    in rest: inout ArraySlice<UInt8>, of name: String, at location: XCConfig.FileLine
  ) throws(SourceError) -> String {
    let strange = location.fault("a reference in the value of \(name) is not $(NAME)", remedy: "write $$ for a literal $")
    guard let open = rest.first, "({".utf8.contains(open) else { throw strange }
    guard let end = rest.firstIndex(of: open == UInt8(ascii: "(") ? UInt8(ascii: ")") : UInt8(ascii: "}")) else {
      throw location.fault("a $( in the value of \(name) is not closed", remedy: "write $$ for a literal $")
    }
    let reference = String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
    guard reference.utf8.allSatisfy(XCConfig.mayContinue) else { throw strange }
    rest = rest[(end + 1)...]
    return reference
  }

  private mutating func refer(to name: String, at location: XCConfig.FileLine) throws(SourceError) {
    if let own = active.last, name == "inherited" || name == own.name {
      // A name inside its own value refers to its earlier value.
      return try follow(own.name, version: own.version - 1)
    }
    if let first = active.firstIndex(where: { $0.name == name }) {
      let circle = (active[first...].map(\.name) + [name]).joined(separator: " → ")
      throw location.fault("these settings refer to each other: \(circle)", remedy: "give one of them a value")
    }
    try follow(name, version: (config.assignments[name]?.count ?? 0) - 1)
  }
}
