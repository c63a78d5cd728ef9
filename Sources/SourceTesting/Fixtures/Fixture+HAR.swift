public import AggregatorCore
import Platform

/// HTTP Archives (HAR 1.2), as every browser and most proxies export them.
extension Fixture {
  /// Reads an archive.
  ///
  /// - Parameter name: What errors call it: `spider.har: log.entries[3].request.url: expected a string, found null`.
  /// - Throws: a `SourceError` of kind `malformed` that names the file and the place in it.
  public init(har bytes: [UInt8], name: String) throws {
    self.init(name, exchanges: try HARReader(name: name).exchanges(bytes))
  }

  /// The exchanges as an archive: the same exchanges always give the same bytes, and a change in one shows as one in a diff.
  ///
  /// Nothing is scrubbed here: what a ``Recording`` writes is.
  public var har: [UInt8] { PrettyJSON.bytes(HARWriter.log(exchanges)) }
}

extension Fixture {
  /// The largest archive that is read.
  static let mostBytes = 256 << 20

  /// Reads the archive at `path`, seen from `home` or from the working directory of the process.
  public init(contentsOf path: String, in home: String = "") throws {
    do {
      try self.init(har: SystemFiles().read(Paths.join(home, path), upTo: Self.mostBytes).bytes, name: path)
    } catch let problem as FileProblem {
      throw SourceError(.settings, "cannot read \(path): \(problem.reason)")
    }
  }

  /// Reads every `.har` of a folder, by name; hidden ones are left out.
  ///
  /// - Parameters:
  ///   - home: The folder that `folder` is seen from (default: the working directory of the process).
  ///   - remedy: What to type where there are none (default: how a command records some).
  public static func load(folder: String, in home: String = "", remedy: Remedy? = nil) throws -> [Fixture] {
    let record = remedy ?? "record one with --record \(Paths.quoted(folder))"
    let names: [String]
    do {
      names = try SystemFiles().list(Paths.join(home, folder))
    } catch {
      if case .missing = error { throw SourceError(.settings, "no such folder: \(folder)", remedy: record) }
      throw SourceError(
        .settings, "cannot read the recordings in \(folder): \(error.reason)", remedy: "name the folder that contains them")
    }
    let archives = names.filter { $0.hasSuffix(".har") && !$0.hasPrefix(".") }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    guard !archives.isEmpty else { throw SourceError(.settings, "no recording (.har) in \(folder)", remedy: record) }
    return try archives.map { try Fixture(contentsOf: Paths.join(folder, $0), in: home) }
  }
}
