import AggregatorCore
public import Manifests
import Platform

/// The package of a new source: everything that is written, and what was guessed on the way.
public struct SourcePackage: Sendable {
  /// One file to write.
  public struct File: Sendable, Hashable {
    /// Below the package's folder.
    public let path: String
    /// What to write, whole.
    public let bytes: [UInt8]
  }

  /// What the source is called, in each of its spellings.
  public let name: SourceName
  /// The manifest and the sources first, the recordings last.
  public let files: [File]
  /// What was guessed, of an invented recording where there was none.
  public let guesses: GuessReport
  /// How many recorded requests had nothing to do with the list.
  public let strangers: Int

  /// A source like the recorded one; over an invented service when nothing was recorded.
  ///
  /// - Parameter core: The path of the checkout that the package is to be built on, absolute or from the package.
  /// - Throws: a `SourceError` when the recording holds no list, or when a key would be left in what is written.
  public init(_ name: SourceName, from fixture: Fixture?, core: String) throws {
    let plan = try SourcePlan(name, from: fixture ?? .invented(for: name.text), isInvented: fixture == nil)
    guard ["GET", "POST"].contains(plan.service.method) else {
      throw SourceError(
        .malformed, "the list is requested with \(plan.service.method)", remedy: "record one that is requested with GET or POST"
      )
    }
    guesses = GuessReport(plan)
    self.name = name
    strangers = plan.strangers
    let sources = "Sources/\(name.module)"
    let tests = "Tests/\(name.module)Tests"
    var texts = [
      ("Package.swift", name.package(core: core)), ("README.md", plan.readme(core: core, guesses)),
      (".gitignore", "/.build/\n.swiftpm/\n"),
      ("\(sources)/\(name.record).swift", plan.recordCode),
      ("\(sources)/\(name.service).swift", plan.serviceCode),
      ("\(sources)/Source+\(name.module).swift", plan.descriptorCode),
      ("\(sources)Command/Main.swift", name.command), ("\(tests)/\(name.module)Tests.swift", plan.testsCode),
    ]
    for (fixture, walk) in [(name.text, plan.walk), plan.search.map { ("\(name.text)-search", $0) }].compactMap({ $0 }) {
      texts.append(
        ("\(tests)/Fixtures/\(fixture).har", String(decoding: Fixture(fixture, exchanges: walk.exchanges).har, as: UTF8.self)))
    }
    files = Self.files(texts)
    try refuse(plan.secrets)
  }

  static func files(_ texts: [(String, String)]) -> [File] {
    texts.map { File(path: $0.0, bytes: Array($0.1.replacingEach("\n\n\n", with: "\n\n").utf8)) }
  }

  init(_ name: SourceName, _ texts: [(String, String)]) {
    (self.name, files, guesses, strangers) = (name, Self.files(texts), GuessReport(), 0)
  }

  /// A short one is only looked for where it can be nothing else: in the recording, which was scrubbed.
  private func refuse(_ secrets: [Secret]) throws {
    let scrubber = Scrubber(secrets)
    for file in files where scrubber.finds(in: file.bytes) {
      throw SourceError(
        .custom("secret-left"), "a key from the recording would remain in \(file.path); nothing was written",
        remedy: "remove it from the recording")
    }
  }
}

extension SourcePackage {
  /// The checkout that this was compiled from; nil when it is no longer there.
  public static var checkout: String? {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let root = parts.dropLast(3).joined(separator: "/")
    return isCheckout(root) ? root : nil
  }

  /// Whether a package can be built on what lies at `path`.
  public static func isCheckout(_ path: String) -> Bool {
    access("\(path)/Package.swift", F_OK) == 0 && access("\(path)/Sources/Core", F_OK) == 0
  }

  /// Writes the package to a new folder of its name in `folder`, all of it or nothing; gives that folder's path.
  ///
  /// - Throws: a `SourceError` when there is something of that name already, or when it cannot be written.
  @discardableResult
  public func write(in folder: String) throws -> String {
    let target = Paths.join(folder, name.text)
    let files = SystemFiles()
    do {
      try files.makeFolder(folder)
      // Beside its place, so that it gets there in one step.
      let draft = Paths.join(folder, ".\(name.text).\(String(UInt64.random(in: .min ... .max), radix: 36))")
      defer { remove(draft) }
      for file in self.files {
        let path = Paths.join(draft, file.path)
        try files.makeFolder(Paths.folder(of: path), permissions: 0o755)
        try files.replace(path, with: file.bytes, permissions: 0o644)
      }
      // A folder replaces an empty one only; whatever else is there makes this fail. Links are not followed.
      var status = stat()
      if lstat(target, &status) == 0 {
        throw SourceError(.storage, "\(target) already exists; nothing was written", remedy: "choose another NAME or --dir")
      }
      guard rename(draft, target) == 0 else { throw FileProblem.failed(SystemFiles.reason(errno)) }
    } catch let problem as FileProblem {
      throw SourceError(.storage, "cannot write \(target): \(problem.reason)")
    }
    return target
  }

  /// What this made, where it did not get to its place.
  private func remove(_ draft: String) {
    for file in files {
      unlink(Paths.join(draft, file.path))
      // A folder goes with the last of its files.
      var folder = Paths.folder(of: file.path)
      while folder != "." {
        rmdir(Paths.join(draft, folder))
        folder = Paths.folder(of: folder)
      }
    }
    rmdir(draft)
  }
}
