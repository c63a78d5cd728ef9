import AggregatorCore
import Platform
import ScratchFolders
import StoreTables
import Synchronization
import TestServers
import Testing

@testable import Store

/// The files that may already be at the path: newer, damaged, foreign, locked, read-only, on a full disk.
@Suite("Opening a store") struct OpeningTests {
  let scratch: ScratchFolder
  var path: String { scratch["store.db"] }

  init() throws { scratch = try ScratchFolder() }

  private func stored(_ count: Int = 3, patience: Duration = .seconds(30)) async throws -> SQLiteStore {
    let store = SQLiteStore(at: path, patience: patience)
    try await store.friends.land((1...count).map { Friend($0) }, from: .page(1))
    return store
  }

  /// The notices that came while `body` ran.
  private func noticed(_ body: () async throws -> Void) async rethrows -> [String] {
    let notices = Mutex<[String]>([])
    try await Event.listening({ event in
      if case .noticed(_, let text) = event { notices.withLock { $0.append(text) } }
    }) { try await body() }
    return notices.withLock { $0 }
  }

  private func failure(_ body: () async throws -> Void) async throws -> SourceError {
    let error = try await #require(throws: SourceError.self) { try await body() }
    #expect(error.kind == .storage)
    #expect(error.remedy != nil)
    return error
  }

  @Test("a store that is removed, moved or replaced while it is open is an error, and later records land in the new file", arguments: 0..<3)
  func replaced(way: Int) async throws {
    let store = try await stored()
    for suffix in ["", "-wal", "-shm"] {
      if way == 0 { unlink(path + suffix) } else { rename(path + suffix, scratch["moved.db"] + suffix) }
    }
    let other = SQLiteStore(at: path)
    if way == 2 { try await other.friends.land([Friend(9)], from: .page(1)) }
    let error = try await failure { try await store.friends.land([Friend(4)], from: .page(2)) }
    #expect(error.message == "the store at \(path) was replaced or removed while it was in use")
    try await store.friends.land([Friend(5)], from: .page(3))
    #expect(try await other.walk().items == (way == 2 ? [Friend(9)] : []) + [Friend(5)])
    if way > 0 { #expect(try await SQLiteStore(at: scratch["moved.db"]).walk().items.prefix(3) == (1...3).map { Friend($0) }[...]) }
  }

  @Test(
    "a connection that readers share reads no file that another one has replaced: removed, moved over, or copied over without its log",
    arguments: 0..<3)
  func sharedReader(way: Int) async throws {
    let store = try await stored()
    #expect(try await store.walk().items.count == 3)
    let other = SQLiteStore(at: scratch["other.db"])
    try await other.friends.land([Friend(9)], from: .page(1))
    try other.database.emptyLog()
    let bytes = try SystemFiles().read(scratch["other.db"], upTo: 64 << 20).bytes
    switch way {
    case 0: for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    case 1:
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
      rename(scratch["other.db"], path)
    default:
      for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
      let file = open(path, O_WRONLY | O_TRUNC)
      defer { close(file) }
      try SystemFiles.write(bytes, to: file)
    }
    let items = try? await store.walk().items
    #expect(items.map { $0 == (way == 0 ? [] : [Friend(9)]) } ?? true, "\(items ?? [])")
  }

  @Test("a new store has pages of 8 kB")
  func pages() async throws { #expect(try await stored().number("PRAGMA page_size") == 8_192) }

  @Test("a source cannot have the name of one of the store's own tables, or one that SQLite keeps")
  func ownTables() async throws {
    _ = try await stored()
    let tables = Tables(RecordKind("NAME"))
    let endings = [tables.record, tables.pieces, tables.letters, tables.gone, tables.all].map { $0.dropFirst(5).dropLast() }
    let connection = try Connection(path)
    let own = try connection.all("SELECT name FROM sqlite_schema") { $0.text(0) }.filter { !$0.hasPrefix("friends") }
    #expect(own.contains("source_info"))
    let taken = own.flatMap { name in endings.filter(name.hasSuffix).map { String(name.dropLast($0.count)) } }
    #expect(Set(taken.filter { !$0.contains("_") }).isSubset(of: RecordKind.unusableNames.keys), "\(taken)")
    for name in RecordKind.unusableNames.keys {
      await #expect(throws: (any Error).self) {
        try await Archive<Friend>(name, in: SQLiteStore(at: path)).land([Friend(1)], from: .page(1))
      }
    }
  }

  @Test("the files of a store can be read only by their owner", arguments: ["store.db", "deep/er/store.db"])
  func privately(name: String) async throws {
    let store = SQLiteStore(at: scratch[name])
    try await store.friends.land([Friend(1)], from: .page(1))
    _ = try await RequestLog(in: scratch["state"]).reserve(
      BudgetTicket([("a", Budget.Rate(1, per: .seconds(1)))]), at: Moment(secondsSinceEpoch: 0), noLaterThan: Moment(secondsSinceEpoch: 9))
    func mode(_ name: String) -> mode_t? {
      var status = stat()
      return stat(scratch[name], &status) == 0 ? status.st_mode & 0o777 : nil
    }
    for file in [name, "\(name)-wal", "\(name)-shm", "\(name)-turn", "state/requests.db"] {
      #expect(mode(file).map { String($0, radix: 8) } == "600", "\(file)")
    }
    for folder in ["deep", "deep/er", "state"] where mode(folder) != nil { #expect(mode(folder) == 0o700, "\(folder)") }
  }

  @Test("a file that was more open is closed to others, except one that a person named", arguments: [true, false])
  func closed(isNamed: Bool) async throws {
    _ = try await stored()
    chmod(path, 0o644)
    let store = SQLiteStore(at: path, named: isNamed)
    try await store.friends.land([Friend(9)], from: .page(2))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == (isNamed ? 0o644 : 0o600))
  }

  @Test("reading a missing store does not make one")
  func readingNothing() async throws {
    let store = SQLiteStore(at: path)
    #expect(try await store.walk().items.isEmpty)
    #expect(try await store.friends.take(5).items.isEmpty)
    #expect(try await store.friends.position() == Position())
    #expect(try await store.holdings().isEmpty)
    #expect(try await store.met(["1"], of: store.friends.kind, reading: 1).isEmpty)
    #expect(try await store.met(["1"], of: store.friends.kind, sync: 1).isEmpty)
    try await store.giveBack(["1"], to: store.friends.kind)
    try await store.reset(store.friends.kind)
    try await store.optimize(store.friends.kind, bulk: true)
    #expect(try await !store.restore("1", of: store.friends.kind))
    #expect(scratch.names().isEmpty)
  }

  @Test("a file that a person named and that is not a database is refused, and stays unchanged")
  func strangers() async throws {
    let file = try #require(fopen(path, "w"))
    fputs("email,name\nada@example.com,Ada\n", file)
    fclose(file)
    let store = SQLiteStore(at: path, named: true)
    let error = try await failure { try await store.friends.land([Friend(1)], from: .page(1)) }
    #expect(error.message.contains("is not a database"))
    _ = try await failure { _ = try await store.walk() }
    #expect(scratch.names().filter { $0.contains("damaged") } == [])
    #expect(try SystemFiles().read(path, upTo: 100).bytes.starts(with: "email".utf8))
  }

  @Test("the file of a new store says which program it belongs to, and its version")
  func folder() async throws {
    let store = SQLiteStore(at: scratch["store.db"])
    try await store.friends.land([Friend(1)], from: .page(1))
    #expect(try store.number("PRAGMA application_id") == Int(StoreSchema.applicationID))
    #expect(try store.number("PRAGMA user_version") == StoreSchema.version)
  }

  @Test(
    "a store of another version is refused with what to type, and left unchanged, to the byte",
    arguments: [
      (99, "update this program, or"), (7, "give store=PLACE to use another store"), (-3, "give store=PLACE"),
      (Int(Int32.min), "give store=PLACE"),
    ])
  func otherVersion(version: Int, remedy: String) async throws {
    do {
      let store = try await stored()
      try store.run("PRAGMA user_version = \(version)")
    }
    let (names, bytes) = (scratch.names(), try scratch.bytes("store.db"))
    let error = try await failure { _ = try await stored() }
    #expect(error.message.contains("has version \(version), and this program uses version \(StoreSchema.version)"))
    #expect(error.remedy.map { "\($0)".hasPrefix(remedy) } == true, "\(error)")
    _ = try await failure { _ = try await SQLiteStore(at: path).walk() }
    #expect(scratch.names() == names)
    #expect(try scratch.bytes("store.db") == bytes)
  }

  @Test("a store whose other version is only in its log is refused as well")
  func otherVersionInLog() async throws {
    let writer = try Connection(path)
    try writer.run("PRAGMA journal_mode = WAL; CREATE TABLE t(x); PRAGMA application_id = \(StoreSchema.applicationID)")
    try writer.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = 99")
    let (bytes, log) = (try scratch.bytes("store.db"), try scratch.bytes("store.db-wal"))
    #expect(!log.isEmpty)
    _ = try await failure { _ = try await stored() }
    #expect(try scratch.bytes("store.db") == bytes)
    #expect(try scratch.bytes("store.db-wal") == log)
    withExtendedLifetime(writer) {}
  }

  @Test(
    "whatever a source is called, its tables are made and nothing else is run",
    arguments: ["\n", "\r\n", "\r", "\u{2028}", "\u{0B}", "'", "\"", "*/"])
  func sourceNames(separator: String) async throws {
    let name = "x\(separator)row INTEGER PRIMARY KEY,id,fetch,gone,met,body); CREATE TABLE other(a);\(separator)--"
    let store = SQLiteStore(at: path)
    let friends = Archive<Friend>(name, in: store)
    try await friends.land([Friend(7)], from: .page(1))
    #expect(try await friends.take(1).items == [Friend(7)])
    let table = StoredTable("mine", about: name, key: [StoredTable.Column("a", .number)])
    for statement in table.statements(about: name) { try store.run(statement) }
    #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'") == 1)
    #expect(try store.number("SELECT count(*) FROM sqlite_schema WHERE name = 'other'") == 0)
  }

  @Test("tables that a file has before its version is set are left unchanged")
  func strangeTables() async throws {
    do {
      let other = try Connection(path)
      try other.run("CREATE TABLE source_info(name TEXT); PRAGMA application_id = \(StoreSchema.applicationID)")
    }
    _ = try await failure { _ = try await SQLiteStore(at: path).friends.land([Friend(7)], from: .page(1)) }
    #expect(try Connection(path).number("PRAGMA user_version") == 0)
  }

  @Test("another program's database is refused and left unchanged")
  func stranger() async throws {
    do {
      let other = try Connection(path)
      try other.run("CREATE TABLE theirs(x)")
    }
    let bytes = try scratch.bytes("store.db")
    let error = try await failure { _ = try await stored() }
    #expect(error.message.contains("another program"))
    #expect(try scratch.bytes("store.db") == bytes)
  }

  @Test("a damaged store is reported and set aside unchanged, and a new one begins", arguments: ["text", "header", "schema", "cut"])
  func damaged(how: String) async throws {
    do { _ = try await stored(500) }
    var bytes = try scratch.bytes("store.db")
    switch how {
    case "text": bytes = Array("no database at all".utf8)
    case "header": bytes.replaceSubrange(0..<16, with: repeatElement(0x20, count: 16))
    case "schema": bytes.replaceSubrange(100..<8192, with: repeatElement(0xFF, count: 8092))
    default: bytes.removeLast(bytes.count - 8192 * 2)
    }
    try scratch.write("store.db", bytes)
    for name in ["store.db-wal", "store.db-shm"] { unlink(scratch[name]) }
    let notices = try await noticed {
      let store = SQLiteStore(at: path)
      try await store.friends.land([Friend(7)], from: .page(1))
      #expect(try await store.walk().items == [Friend(7)])
    }
    #expect(notices.count == 1)
    let aside = try #require(scratch.names().first { $0.contains(".damaged-") })
    #expect(try scratch.bytes(aside) == bytes)
    #expect(notices.first?.contains(aside) == true)
  }

  @Test("damage that only reading finds is set aside too, and a new store begins")
  func damagedForReaders() async throws {
    let page = try await stored(500).number("SELECT rootpage FROM sqlite_schema WHERE name = 'friends_record'")
    var bytes = try scratch.bytes("store.db")
    bytes.replaceSubrange((page - 1) * 8192..<page * 8192, with: repeatElement(0xFF, count: 8192))
    try scratch.write("store.db", bytes)
    for name in ["store.db-wal", "store.db-shm"] { unlink(scratch[name]) }
    let notices = try await noticed { _ = try await failure { _ = try await SQLiteStore(at: path).walk() } }
    #expect(notices.count == 1)
    let aside = try #require(scratch.names().first { $0.contains(".damaged-") })
    #expect(try scratch.bytes(aside) == bytes)
    #expect(try await SQLiteStore(at: path).walk().items.isEmpty)
  }

  @Test("a store on which another process holds a lock is waited for, and then told")
  func locked() async throws {
    let store = try await stored(patience: .milliseconds(50))
    let other = try Connection(path)
    try other.run("BEGIN IMMEDIATE")
    let error = try await failure { try await store.friends.land([Friend(9)], from: .page(2)) }
    #expect(error.message.contains("another process"))
    // Reading works meanwhile, and afterward nothing is lost.
    #expect(try await store.walk().items.count == 3)
    try other.run("ROLLBACK")
    try await store.friends.land([Friend(9)], from: .page(2))
    #expect(try await store.walk().items.count == 4)
  }

  @Test("a full disk is told, and nothing is lost")
  func full() async throws {
    let store = try await stored()
    try store.run("PRAGMA max_page_count = \(store.number("PRAGMA page_count") + 2)")
    let many = (10...5_000).map { Friend($0, "Somebody with a long name \($0)") }
    let error = try await failure { try await store.friends.land(many, from: .page(2)) }
    #expect(error.message.contains("no space"))
    #expect(try await store.walk().items.count == 3)
    try store.run("PRAGMA max_page_count = 1000000")
    try await store.friends.land(many, from: .page(2))
    #expect(try await store.walk().items.count == 3 + many.count)
  }

  @Test(
    "a store that may not be written is told, file or folder", .enabled(if: geteuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0),
    arguments: [true, false])
  func readOnly(isFile: Bool) async throws {
    do { _ = try await stored() }
    for name in scratch.names() { chmod(scratch[name], 0o644) }
    chmod(scratch.path, isFile ? 0o777 : 0o755)
    let bytes = try scratch.bytes("store.db")
    let (lines, status) = try Probe("land", path, as: "65534").end()
    #expect(status != 0)
    #expect(lines.contains { $0.contains("the store \(path)") })
    #expect(try scratch.bytes("store.db") == bytes)
  }
}
