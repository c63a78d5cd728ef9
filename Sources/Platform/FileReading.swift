/// A reader of files: the system, or a test's own.
package protocol FileReading: Sendable {
  /// Reads the whole file. Throws if it is larger than `limit` bytes.
  func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents
}

/// The contents of a file at one moment.
package struct FileContents: Sendable {
  package var bytes: [UInt8]

  /// The permissions: the last nine bits of the file's mode.
  package var permissions: UInt32

  /// True for a file on a disk. The permissions of a pipe do not say who can read its contents later.
  package var isRegular = true

  /// The owner, for a copy that takes the file's place.
  package var owner: FileOwner?

  package init(_ bytes: [UInt8], permissions: UInt32 = 0o600) {
    self.bytes = bytes
    self.permissions = permissions
  }
}

package struct FileOwner: Sendable, Hashable {
  package var user: UInt32
  package var group: UInt32
}

/// The reason why a file could not be read or written.
package enum FileProblem: Error, Sendable, Hashable {
  /// The file does not exist.
  case missing
  /// A folder on the way cannot be entered, so it is unknown whether the file exists.
  case hidden(String)
  /// The file exists, and its mode does not let this person read it.
  case denied(String)
  /// The file exists and cannot be used, for a reason such as `Is a directory`.
  case failed(String)

  package var reason: String {
    switch self {
    case .missing: "no such file"
    case .hidden(let reason), .denied(let reason), .failed(let reason): reason
    }
  }
}
