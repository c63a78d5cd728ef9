import AggregatorCore
public import SourceTesting

/// The package of a new source: everything that is written, and what was guessed on the way.
public struct SourcePackage: Sendable {
  public struct File: Sendable, Hashable {
    /// Below the package's folder.
    public let path: String
    public let bytes: [UInt8]
  }

  public let name: SourceName
  public let files: [File]
  public let guesses: GuessReport
  /// How many recorded requests had nothing to do with the list.
  public let strangers: Int

  /// A source like the recorded one; over an invented service when nothing was recorded.
  ///
  /// - Parameter core: The absolute path of the checkout that the package is to be built on.
  /// - Throws: a `SourceError` when the recording holds no list, or when a key would be left in what is written.
  public init(_ name: SourceName, from fixture: Fixture?, core: String) throws {
    let plan = try Plan(name, from: fixture ?? InventedService(name: name).fixture(), isInvented: fixture == nil)
    guard ["GET", "POST"].contains(plan.service.method) else {
      throw SourceError(
        .malformed, "the list is requested with \(plan.service.method)", remedy: "record one that is requested with GET or POST")
    }
    guesses = GuessReport(plan)
    self.name = name
    strangers = plan.strangers
    let package = PackageTemplate(plan: plan, core: core, guesses: guesses)
    let record = RecordTemplate(plan: plan)
    let sources = "Sources/\(name.module)"
    let tests = "Tests/\(name.module)Tests"
    var texts = [
      ("Package.swift", package.manifest), ("README.md", package.readme), (".gitignore", "/.build/\n.swiftpm/\n"),
      ("\(sources)/\(name.record).swift", record.type), ("\(sources)/\(name.record)+JSON.swift", record.reading),
      ("\(sources)/\(name.service).swift", ServiceTemplate(plan: plan).code),
      ("\(sources)/Source+\(name.module).swift", DescriptorTemplate(plan: plan).code),
      ("\(sources)Command/Main.swift", package.command), ("\(tests)/\(name.module)Tests.swift", TestsTemplate(plan: plan).code),
    ]
    for (fixture, walk) in [(name.text, plan.walk), plan.search.map { ("\(name.text)-search", $0) }].compactMap({ $0 }) {
      texts.append(("\(tests)/Fixtures/\(fixture).har", String(decoding: Fixture(fixture, exchanges: walk.exchanges).har, as: UTF8.self)))
    }
    files = texts.map { File(path: $0.0, bytes: Array($0.1.replacingEach("\n\n\n", with: "\n\n").utf8)) }
    try refuse(plan.secrets)
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
