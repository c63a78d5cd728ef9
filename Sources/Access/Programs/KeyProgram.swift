package import AggregatorCore
import Platform

/// A program that prints a key, such as `pass show shop`. It is started without a shell, and its first line is the key.
package struct KeyProgram: Sendable {
  /// The most bytes that it may print. A key has some hundred.
  static let most = 64 << 10
  /// The time that it has. A person may have to type a password meanwhile.
  package static let usualTime = Duration.seconds(60)

  private let path: String
  private let arguments: [String]

  /// The program with that name or absolute path. `folders`, the value of `PATH`, are searched for a name; relative folders are skipped.
  package init(_ words: [String], searching folders: String) throws(SourceError) {
    let name = words.first ?? ""
    guard Paths.isAbsolute(name) || !name.utf8.contains(UInt8(ascii: "/")), !name.isEmpty else {
      throw SourceError(
        .missingKey, "the command of a key begins with the name of a program, or with its absolute path",
        remedy: "write the path from the root on")
    }
    guard !words.contains(where: { $0.utf8.contains(0) }),
      let path = Paths.isAbsolute(name) ? (ChildProcess.canRun(name) ? name : nil) : ChildProcess.find(name, in: folders)
    else {
      throw SourceError(.missingKey, "\(Printable.clean(name)) is not installed, or not on the PATH", remedy: "install it")
    }
    (self.path, arguments) = (path, Array(words.dropFirst()))
  }

  /// Returns the key, and how many further lines the program printed, which are not used. Nothing that it prints is told, errors included.
  package func key(hiding settings: Settings, within time: Duration) async throws -> (key: Secret, furtherLines: Int) {
    let bounds = ProgramRun.Bounds(output: Self.most, silence: time, total: time, end: .seconds(1))
    let run = try ProgramRun(
      path, arguments, in: "/", with: PrivateFiles([]), hiding: settings, within: bounds, isSecret: true)
    return try await SystemThread.blocking {
      var lines: [[UInt8]] = []
      do {
        while let line = try run.line(isOver: !lines.isEmpty) { lines.append(line) }
        if let failure = try run.failure() { throw failure }
      } catch let error as SourceError {
        run.stop()
        throw SourceError(.missingKey, error.message)
      }
      while lines.last?.isEmpty == true { lines.removeLast() }
      guard let first = lines.first, let key = String(validating: first, as: UTF8.self)?.trimmingSpaces, !key.isEmpty else {
        throw SourceError(
          .missingKey, lines.isEmpty ? "the program printed nothing" : "the first line that it printed is not a key")
      }
      return (Secret(key), lines.count - 1)
    } onCancel: {
      run.stop()
    }
  }
}
