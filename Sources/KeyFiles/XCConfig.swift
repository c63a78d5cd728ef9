package import AggregatorCore
package import Platform

/// A key file and what it includes, as Xcode would read them.
///
/// It keeps every assignment in the order they were read, since `$(inherited)` asks for earlier ones.
package struct XCConfig: Sendable {
  /// One file that was read.
  struct File: Sendable {
    let path: String
    /// Whether others than its owner may do something with it.
    let isOpenToOthers: Bool
  }

  /// A line of one of the files.
  struct Place: Sendable, Hashable {
    let file: Int
    let line: Int
  }

  struct Assignment: Sendable {
    let name: String
    let value: Secret
    let place: Place
  }

  private(set) var files: [File] = []
  private(set) var assignments: [String: [Assignment]] = [:]

  /// The names assigned, in the order of their first assignment.
  private(set) var names: [String] = []

  /// What a person should know about the files although they could be read.
  private(set) var warnings: [String] = []

  static let largestFile = 1 << 20
  private static let deepestInclude = 16
  private static let mostIncludes = 128

  private var includes = 0

  /// Reads the includes of a file that was read already.
  package init(_ contents: FileContents, at path: String, reader: some FileReading) throws(SourceError) {
    try add(contents, at: path, includedBy: [], reader: reader)
  }

  /// `path:12`.
  func describe(_ place: Place) -> String { "\(files[place.file].path):\(place.line)" }

  func fault(_ place: Place, _ message: String, remedy: Remedy? = nil) -> SourceError {
    SourceError(.settings, "\(describe(place)): \(message)", remedy: remedy)
  }

  // MARK: Names

  static func mayBegin(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: false
    }
  }

  static func mayContinue(_ byte: UInt8) -> Bool { mayBegin(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  static func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first else { return false }
    return mayBegin(first) && text.utf8.allSatisfy(mayContinue)
  }
}

// MARK: - Reading

extension XCConfig {
  /// A file that is being read, and so must not include itself.
  private struct Ancestor {
    let path: String
    let identity: FileIdentity?
  }

  private mutating func add(
    _ contents: FileContents, at path: String, includedBy ancestors: [Ancestor], reader: some FileReading
  ) throws(SourceError) {
    let file = files.count
    files.append(File(path: path, isOpenToOthers: contents.isRegular && contents.permissions & 0o077 != 0))
    guard String(validating: contents.bytes, as: UTF8.self) != nil else {
      throw SourceError(.settings, "\(path) is not valid UTF-8", remedy: "save it as UTF-8")
    }
    let chain = ancestors + [Ancestor(path: path, identity: contents.identity)]
    var scanner = XCConfigScanner(contents.bytes)
    while true {
      let next: (line: Int, statement: XCConfigScanner.Statement)?
      do { next = try scanner.next() } catch {
        throw fault(Place(file: file, line: error.line), error.message, remedy: error.remedy.map { .advice($0) })
      }
      guard let next else { return }
      let place = Place(file: file, line: next.line)
      switch next.statement {
      case .assignment(let assignment): add(assignment, at: place)
      case .include(let name, let isOptional):
        includes += 1
        guard includes <= Self.mostIncludes else { throw fault(place, "more than \(Self.mostIncludes) files are included") }
        guard let (path, contents) = try find(name, isOptional: isOptional, at: place, from: chain, reader: reader) else { continue }
        try refuse(path, contents, at: place, from: chain)
        try add(contents, at: path, includedBy: chain, reader: reader)
      }
    }
  }

  private mutating func add(_ assignment: XCConfigScanner.Assignment, at place: Place) {
    let name = assignment.name
    guard assignment.conditions.isEmpty else {
      warnings.append("\(describe(place)): \(name)\(assignment.conditions) does not apply here; write \(name) = … without the condition")
      return
    }
    let value = assignment.value.reveal().lowercased()
    if let scheme = ["https", "http"].first(where: { value.hasSuffix("\($0):") }) {
      warnings.append(
        "\(describe(place)): // starts a comment, so the value of \(name) ends in \(scheme):; write \(scheme):/$()/… instead")
    }
    if assignments[name] == nil { names.append(name) }
    assignments[name, default: []].append(Assignment(name: name, value: assignment.value, place: place))
  }

  /// The included file: beside the one that includes it, else beside those that include that one; `.xcconfig` may be left out.
  private func find(
    _ name: String, isOptional: Bool, at place: Place, from chain: [Ancestor], reader: some FileReading
  ) throws(SourceError) -> (path: String, contents: FileContents)? {
    var paths: [String] = []
    for ancestor in chain.reversed() {
      let path = Paths.join(Paths.folder(of: ancestor.path), name)
      for candidate in [path, path + ".xcconfig"] where !paths.contains(candidate) { paths.append(candidate) }
    }
    for path in paths {
      do throws(FileProblem) {
        return (path, try reader.read(path, upTo: Self.largestFile))
      } catch .missing {
        continue
      } catch {
        throw fault(place, "cannot read the included file \(path): \(error.reason)", remedy: "fix it, or remove the #include")
      }
    }
    if isOptional { return nil }
    throw fault(
      place, "the included file \(paths[0]) does not exist", remedy: "create it, or write #include? if it may be missing")
  }

  private func refuse(_ path: String, _ contents: FileContents, at place: Place, from chain: [Ancestor]) throws(SourceError) {
    let isSame = { (other: Ancestor) in other.path == path || (other.identity != nil && other.identity == contents.identity) }
    if let first = chain.firstIndex(where: isSame) {
      let circle = (chain[first...].map(\.path) + [path]).joined(separator: " → ")
      throw fault(place, "the file includes itself: \(circle)", remedy: "remove this #include")
    }
    guard chain.count < Self.deepestInclude else {
      throw fault(place, "#include is nested more than \(Self.deepestInclude) deep: \(chain.map(\.path).joined(separator: " → "))")
    }
  }
}

// Its values are `Secret`s and print as such; this keeps a dump short.
extension XCConfig: CustomStringConvertible {
  package var description: String { "XCConfig(\(files.map(\.path).joined(separator: ", ")))" }
}
