import AggregatorCore
import Platform

/// The files of one run of a program, which only this person can read: its configuration with the keys, its state, its catalog.
struct PrivateFiles {
  /// The folder of the files; nil if the program gets none.
  private(set) var folder: String?
  /// The names of the files.
  private(set) var names: [String] = []
  /// The arguments that name the files: `--config PATH`.
  private(set) var arguments: [String] = []

  private static let prefix = "aggregator-run."

  /// Writes a file for each option that has contents.
  init(_ files: [(option: String, contents: [UInt8]?)]) throws {
    let files = files.compactMap { file in file.contents.map { (file.option, $0) } }
    guard !files.isEmpty else { return }
    let parent = Self.parent
    Self.removeStale(in: parent)
    guard let folder = Self.makeFolder(in: parent) else {
      throw SourceError(.noTransport, "no private folder for a program can be made in \(parent): \(SystemFiles.reason(errno))")
    }
    self.folder = folder
    do {
      for (option, contents) in files {
        let name = "\(option.drop { $0 == "-" }).json"
        let path = Paths.join(folder, name)
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw FileProblem.failed(SystemFiles.reason(errno)) }
        defer { close(file) }
        names.append(name)
        arguments += [option, path]
        try SystemFiles.write(contents, to: file)
      }
    } catch {
      remove()
      throw SourceError(
        .noTransport, "cannot write the private files of a program: \((error as? FileProblem)?.reason ?? "\(error)")")
    }
  }

  /// Removes the files; for a program that was never started.
  func remove() {
    guard let folder else { return }
    for name in names { unlink(Paths.join(folder, name)) }
    rmdir(folder)
  }

  private static var parent: String {
    for name in ["XDG_RUNTIME_DIR", "TMPDIR"] {
      if let value = getenv(name).map({ String(cString: $0) }), value.hasPrefix("/"), access(value, W_OK) == 0 { return value }
    }
    return "/tmp"
  }

  private static func makeFolder(in parent: String) -> String? {
    var template = Array("\(Paths.join(parent, "\(prefix)\(getpid())")).XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
  }

  /// Removes the folders of processes that were killed before they could.
  private static func removeStale(in parent: String) {
    for name in (try? SystemFiles().list(parent)) ?? [] where name.hasPrefix(prefix) {
      guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0 != "." }), process > 0, kill(process, 0) != 0,
        errno == ESRCH
      else {
        continue
      }
      let folder = Paths.join(parent, name)
      var status = stat()
      guard lstat(folder, &status) == 0, status.st_uid == getuid(), mode_t(status.st_mode) & S_IFMT == S_IFDIR else { continue }
      for file in (try? SystemFiles().list(folder)) ?? [] { unlink(Paths.join(folder, file)) }
      rmdir(folder)
    }
  }

  /// Returns this process's environment without the variables that name or hold a secret. A key reaches a program in its private file alone.
  static func environment(without settings: Settings) -> [String: String] {
    let scrubber = Scrubber(settings.secrets)
    let names = Set(settings.declared.filter(\.isSecret).map(\.name))
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      entry += 1
      let line = String(cString: text)
      guard let equals = line.firstIndex(of: "=") else { continue }
      let (name, value) = (String(line[..<equals]), String(line[line.index(after: equals)...]))
      if !names.contains(name), !scrubber.finds(in: value) { variables[name] = value }
    }
    return variables
  }
}
