import AggregatorCore
import Platform
import Store

/// A file for results. They are written to a draft beside it, which takes its place once
/// it is whole. A pipe or a device gets the results as they come.
package struct OutputFile: Sendable {
  let path: String
  /// The path after following links.
  private let target: String
  /// The path of the draft; nil for a pipe or a device, which is written directly.
  private let draft: String?
  package let descriptor: Int32
  /// True when the file existed before.
  private let isThere: Bool
  private let invocation: Invocation
  /// True when the answer is incomplete; then the file must not look like the whole answer.
  package var isPartial = false

  package init(_ path: String, for invocation: Invocation) async throws {
    self.path = path
    self.invocation = invocation
    do {
      target = try SystemFiles().following(Paths.join(invocation.program.workingDirectory, path))
      var old = stat()
      isThere = stat(target, &old) == 0
      let kind = mode_t(old.st_mode) & S_IFMT
      if isThere, kind == S_IFDIR { throw FileProblem.failed("it is a folder") }
      if isThere, kind == S_IFREG, StoreFile.isStore(at: target) {
        throw FileProblem.failed("it is a store; name another file")
      }
      if isThere, kind != S_IFREG {
        (draft, descriptor) = (nil, try await Self.opened(target, called: path, isPipe: kind == S_IFIFO))
        if descriptor < 0 { throw FileProblem.failed(SystemFiles.reason(errno)) }
      } else {
        (draft, descriptor) = try SystemFiles().openDraft(beside: target)
        // The new file gets the permissions of the old one.
        if isThere { _ = fchmod(descriptor, mode_t(old.st_mode) & 0o777) }
        Interruption.removesFile(at: draft)
      }
    } catch let error as FileProblem {
      throw Console.Unwritable(target: path, reason: error.reason)
    }
  }

  /// Opens a pipe or a device for writing, which the line calls `name`. Throws if the time of the command is up before somebody reads from the
  /// pipe.
  private static func opened(_ path: String, called name: String, isPipe: Bool) async throws -> Int32 {
    let flags = O_WRONLY | O_CLOEXEC | O_NOCTTY
    guard isPipe, Deadline.left != nil else { return open(path, flags) }
    while true {
      let file = open(path, flags | O_NONBLOCK)
      // This is the error of a pipe without a reader.
      guard file < 0, errno == ENXIO else {
        if file >= 0 { _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) }
        return file
      }
      do { try Deadline.check() } catch var error as SourceError {
        error.remedy = "start the program that reads from the pipe \(Paths.quoted(name)), or write to a file"
        throw error
      }
      // The system sends no word when a reader comes.
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  package func install() throws {
    guard let draft else {
      close(descriptor)
      return
    }
    defer { Interruption.removesFile(at: nil) }
    let end = isPartial ? ".partial" : ""
    guard fsync(descriptor) == 0, rename(draft, target + end) == 0 else {
      let reason = SystemFiles.reason(errno)
      remove()
      throw Console.Unwritable(target: path, reason: reason)
    }
    close(descriptor)
  }

  func tell() {
    let old = isThere ? "\(path) is left as it was; " : ""
    // Behind a link the incomplete answer is beside the file, and not beside the link.
    let isLinked = target != Paths.join(invocation.program.workingDirectory, path)
    if isPartial, draft != nil { invocation.say("\(old)the incomplete answer is in \(isLinked ? target : path).partial") }
  }

  package func remove() {
    Interruption.removesFile(at: nil)
    if let draft { unlink(draft) }
    close(descriptor)
  }
}
