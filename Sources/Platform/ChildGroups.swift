import Synchronization

/// The groups of processes that this process has started and that must not outlive it, with the files that only they may read.
///
/// A signal handler ends them too. It takes no lock, so what it reads is atomic, or is never moved or freed.
package enum ChildGroups {
  private struct Slot: ~Copyable {
    /// The group; 0 if the slot is free. It is set last and cleared first.
    let group = Atomic<pid_t>(0)
    /// The paths of the files to remove with the group, and of their folder last, each in `longest` bytes. Empty paths stand for none.
    let paths: UnsafeMutablePointer<CChar>

    func path(_ index: Int) -> UnsafeMutablePointer<CChar> { paths + index * longest }

    func removeFiles() {
      for index in 0..<mostFiles where path(index).pointee != 0 { unlink(path(index)) }
      if path(mostFiles).pointee != 0 { rmdir(path(mostFiles)) }
    }
  }

  /// The most groups at once, the most files of each, and the greatest length of a path.
  private static let most = 256, mostFiles = 3, longest = 1_024
  /// Held while a slot is given or freed.
  private static let lock = Mutex(())
  /// True once all groups are being ended.
  private static let areEnding = Atomic(false)
  /// The address of the slots, which are made with the first group and never freed; 0 before that.
  private static let address = Atomic<UInt>(0)

  private static var slots: UnsafeMutablePointer<Slot>? {
    UnsafeMutablePointer(bitPattern: address.load(ordering: .sequentiallyConsistent))
  }

  /// Makes what a signal handler reads, since it must not be the first to touch it.
  package static func prepare() { _ = (areEnding.value, slots) }

  /// Notes a group with its private `folder` and the names of at most three files in it. Returns false beyond the most groups.
  package static func add(_ group: pid_t, folder: String?, files: [String]) -> Bool {
    lock.withLock { _ in
      let paths = folder.map { folder in files.map { Paths.join(folder, $0) } } ?? []
      let isTooLong = (paths + [folder ?? ""]).contains { $0.utf8.count >= longest }
      guard !areEnding.value, paths.count <= mostFiles, !isTooLong else { return false }
      let slots = made
      for index in 0..<most where slots[index].group.value == 0 {
        for file in 0..<mostFiles { set(slots[index].path(file), to: file < paths.count ? paths[file] : "") }
        set(slots[index].path(mostFiles), to: folder ?? "")
        slots[index].group.value = group
        return true
      }
      return false
    }
  }

  private static func set(_ place: UnsafeMutablePointer<CChar>, to path: String) {
    var path = path
    path.withUTF8 { bytes in
      for (index, byte) in bytes.enumerated() { place[index] = CChar(bitPattern: byte) }
      place[bytes.count] = 0
    }
  }

  private static var made: UnsafeMutablePointer<Slot> {
    if let slots { return slots }
    let made = UnsafeMutablePointer<Slot>.allocate(capacity: most)
    // One block, of which the system gives only the pages that are used.
    let size = (mostFiles + 1) * longest
    let paths = UnsafeMutablePointer<CChar>.allocate(capacity: most * size)
    for index in 0..<most { (made + index).initialize(to: Slot(paths: paths + index * size)) }
    address.store(UInt(bitPattern: made), ordering: .sequentiallyConsistent)
    return made
  }

  /// Forgets a group that has ended, and removes its files.
  package static func remove(_ group: pid_t) {
    lock.withLock { _ in
      guard let slots else { return }
      for index in 0..<most where slots[index].group.value == group {
        slots[index].removeFiles()
        slots[index].group.value = 0
      }
    }
  }

  /// Ends all groups and removes their files, before this process ends. A signal handler may call it.
  package static func endAll() {
    guard let slots else { return }
    areEnding.value = true
    var isAny = false
    for index in 0..<most {
      let group = slots[index].group.value
      guard group != 0 else { continue }
      isAny = true
      kill(-group, SIGTERM)
    }
    guard isAny else { return }
    // Time to remove files of their own; a person waits meanwhile.
    for _ in 0..<20 where !haveEnded(slots) { _ = poll(nil, 0, 10) }
    for index in 0..<most {
      let group = slots[index].group.value
      guard group != 0 else { continue }
      kill(-group, SIGKILL)
      slots[index].removeFiles()
    }
  }

  /// Returns at once, or never if this process is ending: its programs then say nothing that counts.
  package static func waitIfEnding() { while areEnding.value { _ = poll(nil, 0, -1) } }

  /// True when the program of each group has ended, whether or not it was waited for.
  private static func haveEnded(_ slots: UnsafeMutablePointer<Slot>) -> Bool {
    for index in 0..<most {
      let group = slots[index].group.value
      if group != 0, !ChildProcess.hasEnded(group) { return false }
    }
    return true
  }
}
