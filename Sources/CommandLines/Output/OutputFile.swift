import Platform

/// A file that results go to: they are written beside it, and take its place once they are whole. Into a pipe or a device they are written as
/// they come.
struct OutputFile: Sendable {
  let path: String
  /// Where it really lies.
  private let target: String
  /// What is written until then; nil where it is written into at once.
  private let draft: String?
  let descriptor: Int32
  /// Whether a file of that name was there before.
  private let isThere: Bool
  private let invocation: Invocation
  /// Whether the answer lacks something: then nothing is to take it for the whole.
  var isPartial = false

  init(_ path: String, for invocation: Invocation) throws {
    self.path = path
    self.invocation = invocation
    do throws(FileProblem) {
      target = try SystemFiles().following(Paths.join(invocation.program.workingDirectory, path))
      var old = stat()
      isThere = stat(target, &old) == 0
      let kind = mode_t(old.st_mode) & S_IFMT
      if isThere, kind == S_IFDIR { throw .failed("it is a folder") }
      if isThere, kind != S_IFREG {
        (draft, descriptor) = (nil, open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY))
        if descriptor < 0 { throw .failed(SystemFiles.reason(errno)) }
      } else {
        (draft, descriptor) = try SystemFiles().openDraft(beside: target)
        // What only its owner can read stays so.
        if isThere { _ = fchmod(descriptor, mode_t(old.st_mode) & 0o777) }
        Interruption.removesFile(at: draft)
      }
    } catch {
      throw Console.Unwritable(place: path, reason: error.reason)
    }
  }

  func place() throws {
    guard let draft else {
      close(descriptor)
      return
    }
    defer { Interruption.removesFile(at: nil) }
    let end = isPartial ? ".partial" : ""
    guard fsync(descriptor) == 0, rename(draft, target + end) == 0 else {
      let reason = SystemFiles.reason(errno)
      remove()
      throw Console.Unwritable(place: path, reason: reason)
    }
    close(descriptor)
  }

  func tell() {
    let old = isThere ? "\(path) is left as it was; " : ""
    if isPartial, draft != nil { invocation.say("\(old)the incomplete answer is in \(path).partial") }
  }

  func remove() {
    Interruption.removesFile(at: nil)
    if let draft { unlink(draft) }
    close(descriptor)
  }
}
