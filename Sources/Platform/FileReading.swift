/// Where files are read from: the system, or a test's own.
package protocol FileReading: Sendable {
  /// The whole file, unless it is larger than `limit` bytes.
  func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents
}

/// A file as it was at one moment.
package struct FileContents: Sendable {
  package var bytes: [UInt8]

  /// Who may read and write it: the last nine bits of its mode.
  package var permissions: UInt32

  /// Whether it lies on a disk: a pipe's permissions say nothing about who can read it later.
  package var isRegular = true

  /// Who owns it, for a copy that takes its place.
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

/// Why a file could not be read or written.
package enum FileProblem: Error, Sendable, Hashable {
  /// There is none.
  case missing
  /// A folder on the way cannot be entered, so it is unknown whether there is one.
  case hidden(String)
  /// It is there, and its mode keeps this person from it.
  case denied(String)
  /// It is there and does not work: why, such as `Is a directory`.
  case failed(String)

  package var reason: String {
    switch self {
    case .missing: "no such file"
    case .hidden(let reason), .denied(let reason), .failed(let reason): reason
    }
  }
}
