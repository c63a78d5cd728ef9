package import AggregatorCore
import Platform
package import PostgresStore
import Store

/// The location of a store.
package enum StoreLocation: Sendable {
  /// Memory alone: the store is lost when the process ends.
  case memory
  /// A file; `isNamed` is true when a person named it.
  case file(String, isNamed: Bool)
  case server(ServerAddress)

  package static let setting = Setting(
    "AGGREGATOR_STORE", .text, "where the store is where no --store is given: a file, or postgresql://HOST/DATABASE")

  /// Reads a location as a person types it.
  init(_ text: String, in folder: String) throws(SourceError) {
    if ["postgresql:", "postgres:"].contains(text) {
      throw SourceError(
        .settings, "\(Self.setting.name) is only \(text), because // starts a comment",
        remedy: "write \(text)/$()/HOST/DATABASE")
    }
    if let scheme = Self.unknownScheme(of: text) {
      throw SourceError(
        .settings, "the store cannot be at an address that begins with \(Printable.clean(scheme))://",
        remedy: "write the path of a file, or postgresql://USER@HOST/DATABASE")
    }
    if Self.isConnectionText(text) {
      throw SourceError(
        .settings, "the store is neither a path nor an address", remedy: "write postgresql://USER@HOST/DATABASE")
    }
    if text == "~" || text.hasPrefix("~/") {
      throw SourceError(
        .settings, "the path of the store begins with ~, which only a shell replaces", remedy: "write the whole path")
    }
    self = ServerAddress(text).map { .server($0) } ?? .file(Paths.join(folder, text), isNamed: true)
  }

  /// Returns a location as it may be printed, without its password.
  static func shown(_ text: String) -> String {
    isConnectionText(text) ? Secret.mask : ServerAddress(text)?.description ?? text
  }

  /// True when the text is a connection string such as `host=db password=…`, as other
  /// programs of PostgreSQL take it, or an invalid address. Both may hold a password.
  private static func isConnectionText(_ text: String) -> Bool {
    let text = text.lowercased()
    return ServerAddress(text) == nil
      && (text.contains("password=") || text.hasPrefix("postgresql:") || text.hasPrefix("postgres:")
        || unknownScheme(of: text) != nil)
  }

  /// Returns the scheme of an address that is not one of a store: `mysql` of `mysql://db/notes`.
  private static func unknownScheme(of text: String) -> String? {
    guard ServerAddress(text) == nil, let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    let scheme = text[..<colon]
    let isScheme =
      !scheme.isEmpty && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "+-.".contains($0) }
    return isScheme ? String(scheme) : nil
  }

  /// Reads the location that the settings name; `--store` is the flag among them. The settings are read here if that has not been done yet.
  package init(of invocation: Invocation, _ settings: Settings? = nil) throws {
    let (settings, program) = (try settings ?? invocation.settings ?? invocation.readSettings(), invocation.program)
    guard let entry = settings[Self.setting], let text = settings.text(Self.setting) else {
      self = program.folders.data.map { .file(Paths.join($0, "store.db"), isNamed: false) } ?? .memory
      return
    }
    // The author of such a file could have everything sent to a server of theirs, or overwrite a file of this person.
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
    get throws { try store(at: StoreLocation(of: self)) }
  }

  func store(at location: StoreLocation) -> any RecordStore {
    switch location {
    case .memory: StoreInMemory()
    case .file(let path, let isNamed): SQLiteStore(at: path, named: isNamed, clock: program.clock)
    case .server(let address): PostgresStore(at: address)
    }
  }
}
