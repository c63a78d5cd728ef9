package import AggregatorCore
import Platform
package import PostgresStore
import Store

/// Where a store is.
package enum StorePlace: Sendable {
  /// Nowhere: it is forgotten when the process ends.
  case memory
  /// In a file, which a person named or did not.
  case file(String, isNamed: Bool)
  case server(ServerAddress)

  package static let setting = Setting(
    "AGGREGATOR_STORE", .text, "where the store is where no --store is given: a file, or postgresql://HOST/DATABASE")

  /// The place that somebody has typed.
  package init(_ text: String, in folder: String) throws(SourceError) {
    if ["postgresql:", "postgres:"].contains(text) {
      throw SourceError(
        .settings, "\(Self.setting.name) is only \(text), because // starts a comment",
        remedy: "write \(text)/$()/HOST/DATABASE")
    }
    if Self.isConnectionText(text) {
      throw SourceError(
        .settings, "the store is neither a path nor an address", remedy: "write postgresql://USER@HOST/DATABASE")
    }
    self = ServerAddress(text).map { .server($0) } ?? .file(Paths.join(folder, text), isNamed: true)
  }

  /// A place as it may be printed.
  package static func shown(_ text: String) -> String {
    isConnectionText(text) ? Secret.mask : ServerAddress(text)?.description ?? text
  }

  /// `host=db password=…`, as other programs of PostgreSQL take it, or what was to be an address: it may hold a password.
  private static func isConnectionText(_ text: String) -> Bool {
    let text = text.lowercased()
    return ServerAddress(text) == nil
      && (text.contains("password=") || text.hasPrefix("postgresql:") || text.hasPrefix("postgres:"))
  }

  /// The one that the settings name, which are read where they have not been: `--store` is the flag among them.
  package init(of invocation: Invocation, _ settings: Settings? = nil) throws {
    let (settings, program) = (try settings ?? invocation.settings ?? invocation.readSettings(), invocation.program)
    guard let entry = settings[Self.setting], let text = settings.text(Self.setting) else {
      self = program.folders.data.map { .file(Paths.join($0, "store.db"), isNamed: false) } ?? .memory
      return
    }
    // Whoever wrote it could have everything sent to a server of theirs, or written over a file of this person's.
    if case .file = entry.origin, settings.isKeyFileFound {
      throw SourceError(
        .settings,
        "the store was not opened: \(entry.setting.name) comes from a key file found in the working directory (\(entry.origin))",
        remedy: .trust(keyFile: settings.keyFile ?? ""))
    }
    try self.init(text, in: program.workingDirectory)
  }
}

extension Invocation {
  package var store: any RecordStore {
    get throws { try store(at: StorePlace(of: self)) }
  }

  package func store(at place: StorePlace) -> any RecordStore {
    switch place {
    case .memory: StoreInMemory()
    case .file(let path, let isNamed): SQLiteStore(at: path, named: isNamed, clock: program.clock)
    case .server(let address): PostgresStore(at: address)
    }
  }
}
