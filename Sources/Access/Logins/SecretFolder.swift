package import AggregatorCore
import Platform

/// A folder with a file for each secret text, which only this person can read.
package struct SecretFolder: SecretStore {
  private let folder: String
  private let files = SystemFiles()
  /// The longest wait for another process. A renewal itself takes half a minute at most.
  private static let patience = Duration.seconds(60)

  /// A folder that is made when it is first needed.
  package init(_ folder: String) { self.folder = folder }

  private func path(_ name: String) -> String { Paths.join(folder, "\(name).json") }

  package func text(_ name: String) throws(SourceError) -> [UInt8]? {
    do throws(FileProblem) {
      return try files.read(path(name), upTo: 1 << 20).bytes
    } catch {
      if case .missing = error { return nil }
      throw SourceError(ofStore: "cannot read \(path(name)): \(error.reason)")
    }
  }

  package func keep(_ text: [UInt8]?, as name: String) throws(SourceError) {
    do throws(FileProblem) {
      try files.makeFolder(folder)
      if let text { return try files.replace(path(name), with: text, ending: ".json") }
      guard unlink(path(name)) == 0 || errno == ENOENT else { throw FileProblem.failed(SystemFiles.reason(errno)) }
    } catch {
      throw SourceError(ofStore: "cannot write \(path(name)): \(error.reason)", remedy: "make its folder writable")
    }
  }

  package func alone<Answer: Sendable>(
    _ name: String, _ work: @escaping @Sendable () async throws -> Answer
  ) async throws -> Answer {
    let handle = try await locked(Paths.join(folder, "\(name).lock"))
    // The lock ends with its descriptor, also if this process is killed.
    defer { close(handle) }
    return try await work()
  }

  /// Returns an open file that this task alone has locked. The file stays, since another process may be waiting for it.
  private func locked(_ path: String) async throws -> CInt {
    do throws(FileProblem) { try files.makeFolder(folder) } catch {
      throw SourceError(ofStore: "cannot make \(folder): \(error.reason)", remedy: "make its folder writable")
    }
    return try await SystemThread.blocking {
      let handle = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard handle >= 0 else { throw SourceError(ofStore: "cannot open \(path): \(SystemFiles.reason(errno))") }
      let deadline = ContinuousClock.now + Self.patience
      // The system knows no lock with a time limit. So this thread, which does not belong to the pool, tries again and again.
      while flock(handle, LOCK_EX | LOCK_NB) != 0 {
        let reason = errno
        guard reason == EWOULDBLOCK || reason == EINTR, ContinuousClock.now < deadline else {
          close(handle)
          guard reason == EWOULDBLOCK else { throw SourceError(ofStore: "cannot lock \(path): \(SystemFiles.reason(reason))") }
          throw SourceError(.taken, "another process has been renewing the login for \(Self.patience.inWords)")
        }
        usleep(5_000)
      }
      return handle
    }
  }
}
