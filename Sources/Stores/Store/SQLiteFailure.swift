import AggregatorCore
import CSQLite
import Platform

/// An error that SQLite reported.
struct SQLiteFailure: Error {
  let code: CInt
  let message: String
  /// True when the system had no descriptor left, so that no file is at fault.
  private let isForWantOfDescriptors: Bool

  init(code: CInt, _ message: String, isForWantOfDescriptors: Bool = false) {
    (self.code, self.message, self.isForWantOfDescriptors) = (code, message, isForWantOfDescriptors)
  }

  init(_ connection: OpaquePointer) {
    let cause = sqlite3_system_errno(connection)
    self.init(
      code: sqlite3_extended_errcode(connection), String(cString: sqlite3_errmsg(connection)),
      isForWantOfDescriptors: cause == EMFILE || cause == ENFILE)
  }

  private var primary: CInt { code & 0xFF }

  /// True when another process has a lock.
  var isBusy: Bool { primary == SQLITE_BUSY }

  /// True when the statement was stopped by its caller.
  var isInterruption: Bool { primary == SQLITE_INTERRUPT }

  /// True when the file, or a file that must lie beside it, cannot be written.
  var isUnwritable: Bool { primary == SQLITE_READONLY || primary == SQLITE_CANTOPEN || primary == SQLITE_PERM }

  /// True when the disk is full or fails.
  var isOfTheDisk: Bool { primary == SQLITE_FULL || primary == SQLITE_IOERR }

  /// True when the disk is full, also for a file beside the store: SQLITE_IOERR_SHMSIZE, which is a C macro.
  private var isFull: Bool { primary == SQLITE_FULL || code == SQLITE_IOERR | 19 << 8 }

  /// True when the file is damaged, or not a database, and may be replaced by a new one.
  func isDamage(in format: Database.Format) -> Bool {
    switch primary {
    case SQLITE_CORRUPT: !isIndexDamage
    case SQLITE_NOTADB: !format.isNamed
    default: false
    }
  }

  /// True when only a search index is damaged or missing, which can be made again.
  var isIndexDamage: Bool { code == Self.damagedIndex.code || primary == SQLITE_ERROR }

  /// A list of an index that cannot be right. SQLite has this code, SQLITE_CORRUPT_VTAB, for its own indexes of texts.
  static let damagedIndex = SQLiteFailure(code: SQLITE_CORRUPT | 1 << 8, "the search index is damaged")

  /// Returns the error for a person: what happened to which file, and what to do.
  func error(at path: String, of format: Database.Format) -> SourceError {
    let (what, remedy): (String, Remedy) =
      switch primary {
      case SQLITE_BUSY, SQLITE_LOCKED:
        ("the \(format.name) \(path) is locked by another process", "try again, or end that process")
      case _ where isFull:
        (
          "no space left for the \(format.name) \(path); nothing was lost",
          .advice("free some space on its disk").or(format.elsewhere)
        )
      case SQLITE_READONLY, SQLITE_PERM:
        ("cannot write to the \(format.name) \(path)", .advice("make the file and its folder writable").or(format.elsewhere))
      case SQLITE_CANTOPEN where isForWantOfDescriptors:
        ("cannot open the \(format.name) \(path): too many files are open", "close some, or type ulimit -n 256")
      case SQLITE_CANTOPEN where access(path, F_OK) == 0 && access(path, R_OK) != 0:
        ("the \(format.name) \(path) may not be read", .advice("make the file readable").or(format.elsewhere))
      case SQLITE_CANTOPEN:
        ("cannot open the \(format.name) \(path)", .advice("make its folder writable").or(format.elsewhere))
      case SQLITE_NOTADB where format.isNamed:
        ("\(path) is not a database; left unchanged", format.elsewhere)
      case SQLITE_CORRUPT, SQLITE_NOTADB:
        ("the \(format.name) \(path) is damaged: \(message)", "run this again to rename the file and create a new one")
      case SQLITE_IOERR:
        ("disk error in the \(format.name) \(path): \(message)", .advice("check the disk").or(format.elsewhere))
      default:
        ("the \(format.name) \(path) failed: \(message)", format.elsewhere)
      }
    return SourceError(ofStore: what, remedy: remedy)
  }
}
