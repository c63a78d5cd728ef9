import Synchronization

/// The groups of processes that this process has started and that must not outlive it, with the files that only they may read.
///
/// A signal handler ends them too, so they are in memory that is never moved or freed.
package enum ChildGroups {
  private struct Slot {
    var group: pid_t = 0
    /// The files to remove with the group, and their folder last; each is null or a path.
    var files: (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil, nil)
    var folder: UnsafeMutablePointer<CChar>?
  }

  /// The most groups at once.
  private static let most = 256
  private static let lock = Mutex(())
  /// True once all groups are being ended. Made with the first group, before a signal handler needs it.
  private static let areEnding = Atomic(false)
  /// Made with the first group, and never freed.
  nonisolated(unsafe) private static var slots: UnsafeMutablePointer<Slot>?

  /// Notes a group with its private `folder` and the names of at most three files in it. Returns false beyond the most groups.
  package static func add(_ group: pid_t, folder: String?, files: [String]) -> Bool {
    lock.withLock { _ in
      if areEnding.value { return false }
      let slots = made
      for index in 0..<most where slots[index].group == 0 {
        let paths = files.prefix(3).map { name in folder.flatMap { strdup(Paths.join($0, name)) } }
        func path(_ index: Int) -> UnsafeMutablePointer<CChar>? { index < paths.count ? paths[index] : nil }
        slots[index].files = (path(0), path(1), path(2))
        slots[index].folder = folder.flatMap { strdup($0) }
        slots[index].group = group
        return true
      }
      return false
    }
  }

  private static var made: UnsafeMutablePointer<Slot> {
    if let slots { return slots }
    let made = UnsafeMutablePointer<Slot>.allocate(capacity: most)
    made.initialize(repeating: Slot(), count: most)
    slots = made
    return made
  }

  /// Forgets a group that has ended, and removes its files.
  package static func remove(_ group: pid_t) {
    lock.withLock { _ in
      guard let slots else { return }
      for index in 0..<most where slots[index].group == group {
        slots[index].group = 0
        removeFiles(of: slots[index])
        for text in [slots[index].files.0, slots[index].files.1, slots[index].files.2, slots[index].folder] { free(text) }
        slots[index] = Slot()
      }
    }
  }

  /// Ends all groups and removes their files, before this process ends. A signal handler may call it.
  package static func endAll() {
    guard let slots else { return }
    areEnding.value = true
    var isAny = false
    for index in 0..<most where slots[index].group != 0 {
      isAny = true
      kill(-slots[index].group, SIGTERM)
    }
    guard isAny else { return }
    // Time to remove files of their own; a person waits meanwhile.
    for _ in 0..<20 where !haveEnded(slots) { _ = poll(nil, 0, 10) }
    for index in 0..<most where slots[index].group != 0 {
      kill(-slots[index].group, SIGKILL)
      removeFiles(of: slots[index])
    }
  }

  /// Returns at once, or never if this process is ending: its programs then say nothing that counts.
  package static func waitIfEnding() { while areEnding.value { _ = poll(nil, 0, -1) } }

  /// True when the program of each group has ended, whether or not it was waited for.
  private static func haveEnded(_ slots: UnsafeMutablePointer<Slot>) -> Bool {
    for index in 0..<most where slots[index].group != 0 {
      if !ChildProcess.hasEnded(slots[index].group) { return false }
    }
    return true
  }

  private static func removeFiles(of slot: Slot) {
    if let file = slot.files.0 { unlink(file) }
    if let file = slot.files.1 { unlink(file) }
    if let file = slot.files.2 { unlink(file) }
    if let folder = slot.folder { rmdir(folder) }
  }
}
