import AggregatorCore
import Platform

/// The statements that were typed at prompts, in a file that all prompts share.
///
/// Each is a line, in which `\n` is a line break and `\\` a backslash. A prompt adds to the file and never writes what it read, so that two
/// prompts keep the statements of both.
struct StatementHistory: Sendable {
  /// The most statements that are kept.
  static let most = 1_000
  /// The most bytes of a statement that is kept.
  static let mostBytes = 4_000

  /// The file; nil without a folder for it.
  private let path: String?

  init(in folder: String?) { path = folder.map { Paths.join($0, "sql_history") } }

  /// Returns the statements, the oldest first; none if the file cannot be read.
  func read() -> [String] { path.map { lines(of: $0) }?.suffix(Self.most).map(Self.decoded) ?? [] }

  /// Adds a statement. Throws if the file cannot be written.
  func add(_ statement: String) throws(FileProblem) {
    let line = Self.encoded(statement)
    guard let path, Self.keeps(statement), line.utf8.count <= Self.mostBytes else { return }
    let (files, folder) = (SystemFiles(), Paths.folder(of: path))
    try files.makeFolder(folder)
    let result = files.alone(in: folder) { () -> Result<Void, FileProblem> in
      Result { () throws(FileProblem) in
        let lines = lines(of: path)
        guard lines.count >= Self.most else { return try append(line + "\n", to: path) }
        let bytes = (lines.suffix(Self.most - 1) + [line]).map { $0 + "\n" }.joined().utf8
        try files.replace(path, with: Array(bytes), ending: ".history")
      }
    }
    try result.get()
  }

  /// False for a statement that begins with a space: that is how a person says not to keep it.
  static func keeps(_ statement: String) -> Bool { !(statement.first?.isWhitespace ?? true) }

  private func lines(of path: String) -> [String] {
    guard let contents = try? SystemFiles().read(path, upTo: 4 * Self.most * Self.mostBytes), contents.isRegular else {
      return []
    }
    return contents.bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Adds a line in one write. Anything but a plain file is left alone, such as a link to /dev/null by which somebody wants no history.
  private func append(_ line: String, to path: String) throws(FileProblem) {
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard file >= 0 else { throw .failed(SystemFiles.reason(errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, mode_t(status.st_mode) & S_IFMT == S_IFREG else { return }
    // The file may have come from a copy or a restored backup.
    _ = fchmod(file, 0o600)
    try SystemFiles.write(Array(line.utf8), to: file)
  }

  static func encoded(_ statement: String) -> String {
    statement.replacingEach("\\", with: "\\\\").replacingEach("\n", with: "\\n")
  }

  static func decoded(_ line: String) -> String {
    var (text, isEscaped) = ("", false)
    for character in line {
      if isEscaped {
        text.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        text.append(character)
      }
    }
    return text
  }
}
